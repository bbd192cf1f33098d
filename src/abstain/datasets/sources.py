"""Where is each real data set published, and how is it converted to tidy files?

A converter takes the contents of the published files and returns those of the tidy ones. It changes
no value: it drops what is not a feature, names columns and classes, and writes each number in its
shortest form. It skips lines that are not data; missing data would change the shape and the SHA-256
of the result. The digests are those of the tidy files that the studies with these data used, so
that everyone reads the same numbers in the same order.

A tidy CSV file has a header and a label in its last column, and an empty field is a missing value.
A tidy NPZ file holds arrays; its digest is that of the arrays, because its bytes depend on the
compressor.
"""

from __future__ import annotations  # signatures then show the names of types

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import import_optional

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
UCI_TERMS = "The UCI repository licenses its data under CC BY 4.0."


# Of the bytes of a tidy file or, for an NPZ file, of its arrays.
SHA256 = {
    "segment.csv": "208121e6ed581d7936c826d555e182212caea57e3703dbca42e931d0fc78c49c",
    "haberman.csv": "ebbfcc63ebd591e41cbafb9609c2b027a443e1e65ac926a5fef7379e09dfcdd1",
    "tecator.csv": "615603c7da80dd2fd7bc119a3e2e5da9a5fc61a917069d655757f7937274bef3",
    "tecator_contents.csv": "bfe53de34a6638d43ff5c4c718f53850d1566392f6e582d00c825b2bb0b22c84",
    "coil20.npz": "e01b9bda7de34ac4773bc44e51cd5f134a054b72c54d7e2b7830c31c346af673",
    "wisconsin.csv": "56d0591ea434a23632df823850066fdad734654cb47ffe2f281a149880483b4a",
    "cleveland.csv": "02bfecf13d1278ea4a881232c410872750f0360bdc78b764786d64de6e55d794",
    "gastric_nmr.csv": "0b06d755e91a2b3349526adf861491fe2ca798f69b4b3937db89174be12a540b",
}


@dataclass(frozen=True)
class Source:
    """A data set as it is published and as it is stored."""

    name: str
    title: str
    summary: str  # what its loader does
    files: dict[str, tuple[int, ...]]  # shape of the data by file; the samples are in the first
    addresses: tuple[str, ...]
    convert: Callable[..., list[bytes]]  # from the contents of all addresses to those of all files
    classes: dict[str, str]  # name of the class by its label in the file, in the order of numbers
    attributes: tuple[str, ...]  # what the attributes of the loaded data set hold
    description: str  # what a user should know; then origin, citation and terms
    packages: tuple[str, ...] = ("pooch",)  # needed for a download


def _write_csv(names: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the bytes of a CSV file; no field holds a comma or a quote."""
    return "".join(f"{','.join(row)}\n" for row in [names, *rows]).encode()


def _write_npz(**arrays: NDArray[Any]) -> bytes:
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]  # its flag is not an array
    return buffer.getvalue()


def _rows(raw: bytes, n_fields: int) -> list[list[str]]:
    """Return the lines that have this number of fields."""
    rows = (line.strip().split(",") for line in raw.decode().splitlines())
    return [row for row in rows if len(row) == n_fields]


def _number(text: str) -> str:
    """Return a number in its shortest form; "" for a missing one."""
    return "" if text in ("", "?", "NA") else repr(float(text)).removesuffix(".0")


def _same(names: str) -> dict[str, str]:
    return {name: name for name in names.split()}


def _convert_segment(training: bytes, test: bytes) -> list[bytes]:
    """Put the test file below the training file, and the class last."""
    (names,) = _rows(training, 19)
    rows = _rows(training, 20) + _rows(test, 20)
    return [
        _write_csv(
            [*(name.lower() for name in names), "target"],
            ([*row[1:], row[0].lower()] for row in rows),
        )
    ]


SEGMENT = Source(
    name="segment",
    title="Image segmentation",
    summary="Load image segmentation: seven kinds of regions in outdoor images.",
    files={"segment.csv": (2310, 19)},
    addresses=(f"{UCI}/image/segmentation.data", f"{UCI}/image/segmentation.test"),
    convert=_convert_segment,
    classes=_same("brickface sky foliage cement window path grass"),
    attributes=(
        "``data``, shape (2310, 19): position, lines, edges and colours of a region",
        "``target_names``: brickface, sky, foliage, cement, window, path, grass",
    ),
    description=f"""\
Regions of 3 × 3 pixels from seven outdoor images, described by position, lines, edges and colours;
a data set of the paper. The first 210 rows are the original training set, the others its test set.
The feature region-pixel-count is 9 throughout. 224 of the 2310 rows repeat an earlier one, so that
a random cross-validation has seen some of its test samples in training.

UCI Image Segmentation; Vision Group, University of Massachusetts; donated by C. Brodley, 1990.
{UCI_TERMS}
""",
)


HABERMAN_COLUMNS = "age operation_year positive_axillary_nodes target"


def _convert_haberman(raw: bytes) -> list[bytes]:
    """Name the columns."""
    names = HABERMAN_COLUMNS.split()
    return [_write_csv(names, _rows(raw, len(names)))]


HABERMAN = Source(
    name="haberman",
    title="Haberman's survival",
    summary="Load Haberman's survival: five years after surgery for breast cancer.",
    files={"haberman.csv": (306, 3)},
    addresses=(f"{UCI}/haberman/haberman.data",),
    convert=_convert_haberman,
    classes={"1": "survived", "2": "died"},
    attributes=(
        "``data``, shape (306, 3): age, year of the operation minus 1900, number of positive nodes",
        "``target_names``: survived, died; these are 1 and 2 in the file",
    ),
    description=f"""\
Patients after surgery for breast cancer, and whether they survived five years or died within them;
a data set of the paper, and a hard one: 225 of 306 patients survived, and age, year and nodes
hardly predict who did. Six feature vectors occur with both classes, so that no classifier is always
right.

UCI Haberman's Survival; S. J. Haberman, 1976; donated by T.-S. Lim, 1999.
{UCI_TERMS}
""",
)


def _convert_tecator(raw: bytes) -> list[bytes]:
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
        _write_csv(
            [*wavelengths, "target"], ([*x, y] for x, y in zip(spectra, classes, strict=True))
        ),
        _write_csv(
            ["water", "fat", "protein", "part"],
            ([*content, part] for content, part in zip(contents, parts, strict=True)),
        ),
    ]


TECATOR = Source(
    name="tecator",
    title="Tecator meat spectra",
    summary="Load Tecator: near infrared spectra of meat, high or low in fat.",
    files={"tecator.csv": (215, 100), "tecator_contents.csv": (215, 3)},
    # Not encrypted; the digests are checked.
    addresses=("http://lib.stat.cmu.edu/datasets/tecator",),
    convert=_convert_tecator,
    classes=_same("low high"),
    attributes=(
        "``data``, shape (215, 100): absorbances at 850 to 1050 nm",
        "``target_names``: low, high",
        "``contents``, shape (215, 3): water, fat and protein in per cent",
        "``content_names``: water, fat, protein",
        "``part``: the original set of each sample, C (training), M (monitoring) or T (test)",
    ),
    description="""\
Near infrared absorbance of finely chopped meat at 100 wavelengths from 850 to 1050 nm; a data set
of the paper, which only says that its two classes are balanced. Here a sample is high from the
median on, 14.0% fat, else low. For another cut, such as the customary ``contents[:, 1] > 20``, use
``contents``. Of the original 240 samples those for extrapolation are left out. Only 193 of the
spectra are distinct, and some occur in more than one part. The permission note in ``DESCR`` belongs
to the data.

StatLib; C. Borggaard, H. H. Thodberg, Optimal minimal neural interpretation of spectra, Analytical
Chemistry 64 (1992) 545-551. The permission note, which has to stay with the data:

    These data are recorded on a Tecator Infratec Food and Feed Analyzer working in the wavelength
    range 850 - 1050 nm by the Near Infrared Transmission (NIT) principle. Each sample contains
    finely chopped pure meat with different moisture, fat and protein contents.

    If results from these data are used in a publication we want you to mention the instrument and
    company name (Tecator) in the publication. In addition, please send a preprint of your article
    to Karin Thente, Tecator AB, Box 70, S-263 21 Hoganas, Sweden

    The data are available in the public domain with no responsability from the original data
    source. The data can be redistributed as long as this permission note is attached. For more
    information about the instrument - call Perstorp Analytical's representative in your area.
""",
)


def _convert_coil20(raw: bytes) -> list[bytes]:
    """Stack the images of the archive, by object and then by pose."""
    image = import_optional("PIL.Image", "reading the images of coil20 needs", "'.[data]'")
    with ZipFile(BytesIO(raw)) as archive:
        matches = (re.search(r"(?:^|/)obj(\d+)__(\d+)\.png$", name) for name in archive.namelist())
        files = sorted((int(match[1]), int(match[2]), match.string) for match in matches if match)
        images = [
            np.asarray(image.open(BytesIO(archive.read(name))).convert("L")) for *_, name in files
        ]
    keys = np.array([key for *key, _ in files], dtype=np.uint8).reshape(-1, 2)
    return [_write_npz(images=np.array(images), target=keys[:, 0], pose=keys[:, 1])]


COIL20 = Source(
    name="coil20",
    title="Columbia object images",
    summary="Load COIL-20: images of twenty objects on a turntable.",
    files={"coil20.npz": (1440, 128, 128)},
    addresses=(
        "https://www.cs.columbia.edu/CAVE/databases/SLAM_coil-20_coil-100/coil-20/coil-20-proc.zip",
    ),
    convert=_convert_coil20,
    classes={str(number): f"object {number}" for number in range(1, 21)},
    attributes=(
        "``data``, shape (1440, 16384): an image in each row, its levels of grey from 0 to 255",
        "``target_names``: object 1 to object 20",
        "``images``, shape (1440, 128, 128): the images as whole numbers",
        "``pose``: the angle of each image in steps of five degrees, 0 to 71",
    ),
    description="""\
Twenty objects on a turntable, photographed every five degrees and cropped to 128 × 128 pixels with
256 levels of grey; a data set of the paper. Rows are ordered by object and then by pose. The paper
reduces the data to 30 dimensions by a principal component analysis; do so within the folds of a
cross-validation. They take 190 MB of memory.

S. A. Nene, S. K. Nayar, H. Murase, Columbia Object Image Library (COIL-20), Technical Report
CUCS-005-96, Columbia University, 1996, which its authors ask to cite.
""",
    packages=("pooch", "PIL"),
)


WISCONSIN_COLUMNS = """
clump_thickness cell_size_uniformity cell_shape_uniformity marginal_adhesion
single_epithelial_cell_size bare_nuclei bland_chromatin normal_nucleoli mitoses target
"""


def _convert_wisconsin(raw: bytes) -> list[bytes]:
    """Drop the number of the sample, and name the columns and the classes 2 and 4."""
    names = WISCONSIN_COLUMNS.split()
    classes = {"2": "benign", "4": "malignant"}
    rows = ([*map(_number, row[1:-1]), classes[row[-1]]] for row in _rows(raw, 1 + len(names)))
    return [_write_csv(names, rows)]


WISCONSIN = Source(
    name="wisconsin",
    title="Breast cancer Wisconsin (original)",
    summary="Load breast cancer Wisconsin (original): with missing values.",
    files={"wisconsin.csv": (699, 9)},
    addresses=(f"{UCI}/breast-cancer-wisconsin/breast-cancer-wisconsin.data",),
    convert=_convert_wisconsin,
    classes=_same("benign malignant"),
    attributes=(
        "``data``, shape (699, 9): grades from 1 to 10",
        "``target_names``: benign, malignant",
    ),
    description=f"""\
Fine needle aspirates of breast masses, graded from 1 to 10 in nine respects. It is not the data set
of scikit-learn's ``load_breast_cancer``, which is of 1995 and complete: here 16 of 6291 values are
missing (NaN), all of bare_nuclei. 236 rows repeat an earlier one. The number of each sample is left
out.

UCI Breast Cancer Wisconsin (Original); W. H. Wolberg, University of Wisconsin Hospitals, who asks
to be acknowledged; W. H. Wolberg, O. L. Mangasarian, PNAS 87 (1990) 9193-9196.
{UCI_TERMS}
""",
)


CLEVELAND_COLUMNS = (
    "age sex cp trestbps chol fbs restecg thalach exang oldpeak slope ca thal target"
)


def _convert_cleveland(raw: bytes) -> list[bytes]:
    """Name the columns, and make two classes of the five: 0 and all others."""
    names = CLEVELAND_COLUMNS.split()
    rows = (
        [*map(_number, row[:-1]), "absent" if row[-1] == "0" else "present"]
        for row in _rows(raw, len(names))
    )
    return [_write_csv(names, rows)]


CLEVELAND = Source(
    name="cleveland",
    title="Heart disease, Cleveland",
    summary="Load heart disease of the Cleveland Clinic: with missing values.",
    files={"cleveland.csv": (303, 13)},
    addresses=(f"{UCI}/heart-disease/processed.cleveland.data",),
    convert=_convert_cleveland,
    classes=_same("absent present"),
    attributes=(
        "``data``, shape (303, 13): the findings",
        "``target_names``: absent, present; the original grades 1 to 4 are all present",
    ),
    description=f"""\
Thirteen findings of 303 patients examined for a narrowing of the coronary arteries. Some findings
are categories in numbers, such as ``cp``, the kind of pain. The original grades 1 to 4 are one
class here, present. Four values of ca and two of thal are missing (NaN).

UCI Heart Disease; R. Detrano, Cleveland Clinic Foundation; R. Detrano et al., American Journal of
Cardiology 64 (1989) 304-310.
{UCI_TERMS}
""",
)


GASTRIC_COLUMNS = """
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


def _convert_gastric(raw: bytes) -> list[bytes]:
    """Take the patients without the quality controls, and the columns that were measured well.

    Those are the 52 of 149 with less than 10% missing values and with a relative standard
    deviation below 20% in the quality controls.
    """
    classes = {"HE": "no_cancer", "BN": "no_cancer", "GC": "gastric_cancer"}
    names = GASTRIC_COLUMNS.split()
    columns = [name.split("_")[0] for name in names[:-1]]
    rows = (
        [*(_number(row[column]) for column in columns), classes[row["Class"]]]
        for row in csv.DictReader(StringIO(raw.decode()))
        if row["Class"] != "QC"
    )
    return [_write_csv(names, rows)]


GASTRIC = Source(
    name="gastric",
    title="Gastric cancer, urine metabolites",
    summary="Load gastric cancer: metabolites in urine, with missing values.",
    files={"gastric_nmr.csv": (123, 52)},
    # The sheet of the tutorial's workbook as text.
    addresses=(
        "https://raw.githubusercontent.com/LauraMonne/Monne-Rodriguez-Laura-PEC1/"
        "8c4f6677486dc63211d26e1037ce67ca27c81b9a/GastricCancer_NMR.csv",
    ),
    convert=_convert_gastric,
    classes=_same("no_cancer gastric_cancer"),
    attributes=(
        "``data``, shape (123, 52): concentrations as measured; they are skewed, take logarithms",
        "``target_names``: no_cancer, gastric_cancer",
    ),
    description="""\
Concentrations of 52 metabolites in urine, by nuclear magnetic resonance. These public data are the
closest to the private medical data of the paper: few patients, many markers, unbalanced classes (80
and 43) and 126 missing values (NaN). Values are as measured, and skewed: take logarithms. The class
no_cancer is 40 healthy people and 40 with a benign disease. Of 149 metabolites those are here with
less than 10% missing values and a relative standard deviation below 20% in the quality controls,
which are left out. The table is downloaded from a copy at a fixed commit.

A. W. Chan et al., British Journal of Cancer, 2016; Metabolomics Workbench project PR000699,
doi:10.21228/M8B10B; the selection of columns follows the tutorial of K. M. Mendez et al., 2019,
github.com/CIMCB/MetabWorkflowTutorial. No licence text comes with the data.
""",
)


SOURCES = {
    source.name: source
    for source in (SEGMENT, HABERMAN, TECATOR, COIL20, WISCONSIN, CLEVELAND, GASTRIC)
}
