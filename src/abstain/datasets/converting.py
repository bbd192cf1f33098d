"""How does the file that a source publishes become a tidy file?

Each function takes the contents of the published files and returns those of the tidy ones. It
changes no value: it drops what is not a feature, names columns and classes, and writes numbers the
shortest way. Lines that are no data are passed over, since what is missing then shows in the shape
and in the SHA-256 of the result.
"""

from __future__ import annotations  # signatures then show the names of types

import csv
import re
from io import BytesIO, StringIO
from zipfile import ZipFile

import numpy as np

from abstain.datasets.optional import optional
from abstain.datasets.tidy import write_csv, write_npz

__all__ = ["cleveland", "coil20", "gastric", "haberman", "segment", "tecator", "wisconsin"]

# The columns of the tidy files.
HABERMAN = "age operation_year positive_axillary_nodes target"
WISCONSIN = """
clump_thickness cell_size_uniformity cell_shape_uniformity marginal_adhesion
single_epithelial_cell_size bare_nuclei bland_chromatin normal_nucleoli mitoses target
"""
CLEVELAND = "age sex cp trestbps chol fbs restecg thalach exang oldpeak slope ca thal target"
GASTRIC = """
M4_1-Methylnicotinamide M5_2-Aminoadipate M7_2-Furoylglycine M8_2-Hydroxyisobutyrate
M11_3-Aminoisobutyrate M14_3-Hydroxyisobutyrate M15_3-Hydroxyisovalerate M25_6-Hydroxynicotinate
M26_ATP M31_Adipate M32_Alanine M33_Anserine M36_Asparagine M37_Azelate M45_Citrate M48_Creatinine
M50_Ethanol M51_Ethanolamine M65_Glycylproline M66_Hippurate M68_Histidine M71_Ibuprofen
M73_Indole-3-lactate M74_Isoleucine M75_Lactate M88_N-Acetylglutamine
M89_N-AcetylglutamineDerivative M90_N-Acetylornithine M91_N-Acetylserotonin M93_N-Methylhydantoin
M101_Pantothenate M104_Proline M105_Propylene_glycol M106_Pyridoxine M107_Pyroglutamate
M110_Serotonin M115_Trigonelline M116_Trimethylamine M118_Tropate M119_Tryptophan M120_Tyrosine
M122_Valine M126_trans-Aconitate M129_u11 M130_u1125 M134_u144 M137_u217 M138_u233 M142_u43
M144_u87 M148_pi-Methylhistidine M149_tau-Methylhistidine target
"""


def haberman(raw: bytes) -> list[bytes]:
    """Name the columns."""
    names = HABERMAN.split()
    return [write_csv(names, _rows(raw, len(names)))]


def wisconsin(raw: bytes) -> list[bytes]:
    """Drop the number of the sample, and name the columns and the classes 2 and 4."""
    names = WISCONSIN.split()
    classes = {"2": "benign", "4": "malignant"}
    rows = ([*map(_number, row[1:-1]), classes[row[-1]]] for row in _rows(raw, 1 + len(names)))
    return [write_csv(names, rows)]


def cleveland(raw: bytes) -> list[bytes]:
    """Name the columns, and make two classes of the five: 0 and all others."""
    names = CLEVELAND.split()
    rows = (
        [*map(_number, row[:-1]), "absent" if row[-1] == "0" else "present"]
        for row in _rows(raw, len(names))
    )
    return [write_csv(names, rows)]


def segment(training: bytes, test: bytes) -> list[bytes]:
    """Put the test file below the training file, and the class last."""
    (names,) = _rows(training, 19)
    rows = _rows(training, 20) + _rows(test, 20)
    return [
        write_csv(
            [*(name.lower() for name in names), "target"],
            ([*row[1:], row[0].lower()] for row in rows),
        )
    ]


def tecator(raw: bytes) -> list[bytes]:
    """Take spectra and contents of the first 215 samples, and make classes of the fat content.

    The text ends with the numbers of 240 samples: 100 absorbances, 22 principal components, and
    the contents of water, fat and protein. Its description mentions the line above them as well.
    """
    _, _, numbers = raw.decode("latin-1").rpartition("extrapolation_examples=25")
    samples = np.array([_number(number) for number in numbers.split()]).reshape(240, 125)[:215]
    spectra, contents = samples[:, :100].tolist(), samples[:, -3:].tolist()
    classes = ["high" if float(fat) >= 14 else "low" for _, fat, _ in contents]
    parts = "C" * 129 + "M" * 43 + "T" * 43
    wavelengths = [f"absorbance_{channel:03d}" for channel in range(1, 101)]
    return [
        write_csv(
            [*wavelengths, "target"], ([*x, y] for x, y in zip(spectra, classes, strict=True))
        ),
        write_csv(
            ["water", "fat", "protein", "part"],
            ([*content, part] for content, part in zip(contents, parts, strict=True)),
        ),
    ]


def coil20(raw: bytes) -> list[bytes]:
    """Stack the pictures of the archive, by object and then by pose."""
    image = optional("PIL.Image", "reading the pictures of coil20", "'abstain[data]'")
    with ZipFile(BytesIO(raw)) as archive:
        found = (re.search(r"(?:^|/)obj(\d+)__(\d+)\.png$", name) for name in archive.namelist())
        by_place = sorted((int(name[1]), int(name[2]), name.string) for name in found if name)
        images = [
            np.asarray(image.open(BytesIO(archive.read(name))).convert("L"))
            for *_, name in by_place
        ]
    places = np.array([place for *place, _ in by_place], dtype=np.uint8).reshape(-1, 2)
    return [write_npz(images=np.array(images), target=places[:, 0], pose=places[:, 1])]


def gastric(raw: bytes) -> list[bytes]:
    """Take the patients without the quality controls, and the columns that were measured well.

    Those are the 52 of 149 with less than 10 % missing values and with a relative standard
    deviation below 20 % in the quality controls.
    """
    classes = {"HE": "no_cancer", "BN": "no_cancer", "GC": "gastric_cancer"}
    names = GASTRIC.split()
    columns = [name.split("_")[0] for name in names[:-1]]
    rows = (
        [*(_number(row[column]) for column in columns), classes[row["Class"]]]
        for row in csv.DictReader(StringIO(raw.decode()))
        if row["Class"] != "QC"
    )
    return [write_csv(names, rows)]


def _rows(raw: bytes, n_fields: int) -> list[list[str]]:
    """Return the lines with so many fields."""
    rows = (line.strip().split(",") for line in raw.decode().splitlines())
    return [row for row in rows if len(row) == n_fields]


def _number(text: str) -> str:
    """Return a number the shortest way, or nothing for one that is missing."""
    return "" if text in ("", "?", "NA") else repr(float(text)).removesuffix(".0")
