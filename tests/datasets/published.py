"""The files that the sources publish, made back from the tidy files.

What a tidy file left out is made up: the numbers of samples, principal components, extrapolation
samples, quality controls and other metabolites.
"""

import csv
import re
from io import BytesIO
from zipfile import ZipFile

import numpy as np
from PIL import Image


def _table(folder, name):
    with open(folder / name, newline="") as file:
        return list(csv.reader(file))


def _lines(rows, end="\n"):
    return "".join(f"{','.join(row)}{end}" for row in rows).encode()


def haberman(folder):
    return [_lines(_table(folder, "haberman.csv")[1:])]


def wisconsin(folder):
    numbers = {"benign": "2", "malignant": "4"}
    rows = _table(folder, "wisconsin.csv")[1:]
    return [
        _lines(
            [str(1000025 + i), *(cell or "?" for cell in row[:-1]), numbers[row[-1]]]
            for i, row in enumerate(rows)
        )
    ]


def cleveland(folder):
    rows = _table(folder, "cleveland.csv")[1:]
    return [
        _lines(
            [
                *(str(float(cell)) if cell else "?" for cell in row[:-1]),
                "0" if row[-1] == "absent" else str(1 + i % 4),
            ]
            for i, row in enumerate(rows)
        )
    ]


def segment(folder):
    names, *rows = _table(folder, "segment.csv")
    head = (
        b";;; -*- Mode:Common-Lisp; Base:10 -*-\n;;; *-* Last-edit: 11/21/90 15:28:30 by Brodley; "
        b"*-*\n\n" + ",".join(names[:-1]).upper().encode() + b"\n\n"
    )
    lines = [[row[-1].upper(), *row[:-1]] for row in rows]
    return [head + _lines(lines[:210]), head + _lines(lines[210:])]


def tecator(folder):
    spectra, contents = (
        np.array([[f"{float(cell):.5f}" for cell in row[:-1]] for row in _table(folder, name)[1:]])
        for name in ("tecator.csv", "tecator_contents.csv")
    )
    components = np.full((215, 22), "-1.04e-01")
    others = np.full((25, 125), "1.5")
    numbers = np.vstack([np.hstack([spectra, components, contents]), others]).reshape(-1, 5)
    sizes = "real_in=122\nreal_out=3\ntraining_examples=172\ntest_examples=43\n"
    sizes += "extrapolation_examples=25\n"
    head = f"2. Description\n240 samples, 25 lines each, preceded by\n\n{sizes}\n5. References\n"
    data = "".join(f" {'  '.join(row)} \n" for row in numbers)
    return [f"{head}\n{sizes}\n{data}".encode()]


def coil20(folder):
    buffer = BytesIO()
    with np.load(folder / "coil20.npz") as arrays, ZipFile(buffer, "w") as archive:
        pictures = list(zip(arrays["images"], arrays["target"], arrays["pose"], strict=True))
        for image, number, pose in reversed(pictures):
            picture = BytesIO()
            Image.fromarray(image).save(picture, "png", compress_level=0)
            archive.writestr(f"coil-20-proc/obj{number}__{pose}.png", picture.getvalue())
        archive.writestr("__MACOSX/coil-20-proc/._obj1__0.png", b"not a picture")
    return [buffer.getvalue()]


def gastric(folder):
    names, *rows = _table(folder, "gastric_nmr.csv")
    columns = [re.match(r"M\d+", name)[0] for name in names[:-1]]
    every = [f"M{number}" for number in range(1, 150)]
    lines = [["Idx", "SampleID", "SampleType", "Class", *every]]
    for i, row in enumerate(rows):
        patient = ["Sample", "GC" if row[-1] == "gastric_cancer" else ["HE", "BN"][i % 2]]
        known = dict(zip(columns, row[:-1], strict=True))
        values = [known.get(column, "12.3") or "NA" for column in every]
        lines.append([str(i), f"sample_{i}", *patient, *values])
        if i % 9 == 0:
            lines.append([str(i), f"sample_{i}", "QC", "QC", *["45.6"] * 149])
    quoted = [[f'"{name}"' for name in lines[0]]]
    quoted += [[row[0], *(f'"{cell}"' for cell in row[1:4]), *row[4:]] for row in lines[1:]]
    return [_lines(quoted)]
