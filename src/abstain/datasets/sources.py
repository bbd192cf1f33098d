"""Where is each real data set published, and what is known of it?

The digests are those of the tidy files that the studies with these data used, so that everyone
reads the same numbers in the same order.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from dataclasses import dataclass

from abstain.datasets import converting
from abstain.datasets.tidy import TidyFile

__all__ = ["SOURCES", "Source"]

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
UCI_TERMS = "The UCI repository licenses its data under CC BY 4.0."


@dataclass(frozen=True)
class Source:
    """A data set as it is published and as it is kept.

    Parameters
    ----------
    name : str
        What the set is called.
    title : str
        The same in full.
    files : tuple of TidyFile
        What is kept; the samples are in the first.
    addresses : tuple of str
        What is downloaded.
    convert : callable
        Takes the contents of the downloads and returns those of ``files``.
    classes : dict
        Label in the file to name of the class, in the order of their numbers.
    description : str
        Origin, citation, terms, and what a user should know.
    packages : tuple of str
        What has to be installed for a download.
    """

    name: str
    title: str
    files: tuple[TidyFile, ...]
    addresses: tuple[str, ...]
    convert: Callable[..., list[bytes]]
    classes: dict[str, str]
    description: str
    packages: tuple[str, ...] = ("pooch",)


def _same(names: str) -> dict[str, str]:
    return {name: name for name in names.split()}


SEGMENT = Source(
    name="segment",
    title="Image segmentation",
    files=(
        TidyFile(
            "segment.csv",
            (2310, 19),
            "208121e6ed581d7936c826d555e182212caea57e3703dbca42e931d0fc78c49c",
        ),
    ),
    addresses=(f"{UCI}/image/segmentation.data", f"{UCI}/image/segmentation.test"),
    convert=converting.segment,
    classes=_same("brickface sky foliage cement window path grass"),
    description=f"""\
Regions of 3 × 3 pixels from seven outdoor images, described by position, lines, edges and colours.
The first 210 rows are the original training set, the others its test set. The feature
region-pixel-count is 9 throughout, and 224 rows repeat an earlier one.

UCI Image Segmentation; Vision Group, University of Massachusetts; donated by C. Brodley, 1990.
{UCI_TERMS}
""",
)

HABERMAN = Source(
    name="haberman",
    title="Haberman's survival",
    files=(
        TidyFile(
            "haberman.csv",
            (306, 3),
            "ebbfcc63ebd591e41cbafb9609c2b027a443e1e65ac926a5fef7379e09dfcdd1",
        ),
    ),
    addresses=(f"{UCI}/haberman/haberman.data",),
    convert=converting.haberman,
    classes={"1": "survived", "2": "died"},
    description=f"""\
Patients after surgery for breast cancer, and whether they survived five years or died within them.
Six feature vectors occur with both classes, so that no classifier is always right.

UCI Haberman's Survival; S. J. Haberman, 1976; donated by T.-S. Lim, 1999.
{UCI_TERMS}
""",
)

TECATOR = Source(
    name="tecator",
    title="Tecator meat spectra",
    files=(
        TidyFile(
            "tecator.csv",
            (215, 100),
            "615603c7da80dd2fd7bc119a3e2e5da9a5fc61a917069d655757f7937274bef3",
        ),
        TidyFile(
            "tecator_contents.csv",
            (215, 3),
            "bfe53de34a6638d43ff5c4c718f53850d1566392f6e582d00c825b2bb0b22c84",
        ),
    ),
    # Not encrypted; what comes is held to the digests.
    addresses=("http://lib.stat.cmu.edu/datasets/tecator",),
    convert=converting.tecator,
    classes=_same("low high"),
    description="""\
Near infrared absorbance of finely chopped meat at 100 wavelengths from 850 to 1050 nm. The class is
high where at least 14.0 % are fat, the median, else low; this split is ours. Of the original 240
samples those for extrapolation are left out. Only 193 spectra are distinct.

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

COIL20 = Source(
    name="coil20",
    title="Columbia object images",
    files=(
        TidyFile(
            "coil20.npz",
            (1440, 128, 128),
            "e01b9bda7de34ac4773bc44e51cd5f134a054b72c54d7e2b7830c31c346af673",
        ),
    ),
    addresses=(
        "https://www.cs.columbia.edu/CAVE/databases/SLAM_coil-20_coil-100/coil-20/coil-20-proc.zip",
    ),
    convert=converting.coil20,
    classes={str(number): f"object {number}" for number in range(1, 21)},
    description="""\
Twenty objects on a turntable, photographed every five degrees and cropped to 128 × 128 pixels with
256 levels of grey. Rows are ordered by object and then by pose.

S. A. Nene, S. K. Nayar, H. Murase, Columbia Object Image Library (COIL-20), Technical Report
CUCS-005-96, Columbia University, 1996, which its authors ask to cite.
""",
    packages=("pooch", "PIL"),
)

WISCONSIN = Source(
    name="wisconsin",
    title="Breast cancer Wisconsin (original)",
    files=(
        TidyFile(
            "wisconsin.csv",
            (699, 9),
            "56d0591ea434a23632df823850066fdad734654cb47ffe2f281a149880483b4a",
        ),
    ),
    addresses=(f"{UCI}/breast-cancer-wisconsin/breast-cancer-wisconsin.data",),
    convert=converting.wisconsin,
    classes=_same("benign malignant"),
    description=f"""\
Fine needle aspirates of breast masses, graded from 1 to 10 in nine respects. All missing values are
of bare_nuclei; 236 rows repeat an earlier one.

UCI Breast Cancer Wisconsin (Original); W. H. Wolberg, University of Wisconsin Hospitals, who asks
to be acknowledged; W. H. Wolberg, O. L. Mangasarian, PNAS 87 (1990) 9193-9196.
{UCI_TERMS}
""",
)

CLEVELAND = Source(
    name="cleveland",
    title="Heart disease, Cleveland",
    files=(
        TidyFile(
            "cleveland.csv",
            (303, 13),
            "02bfecf13d1278ea4a881232c410872750f0360bdc78b764786d64de6e55d794",
        ),
    ),
    addresses=(f"{UCI}/heart-disease/processed.cleveland.data",),
    convert=converting.cleveland,
    classes=_same("absent present"),
    description=f"""\
Patients examined for a narrowing of the coronary arteries. The original grades 1 to 4 are one class
here, present. Missing are four values of ca and two of thal.

UCI Heart Disease; R. Detrano, Cleveland Clinic Foundation; R. Detrano et al., American Journal of
Cardiology 64 (1989) 304-310.
{UCI_TERMS}
""",
)

GASTRIC = Source(
    name="gastric",
    title="Gastric cancer, urine metabolites",
    files=(
        TidyFile(
            "gastric_nmr.csv",
            (123, 52),
            "0b06d755e91a2b3349526adf861491fe2ca798f69b4b3937db89174be12a540b",
        ),
    ),
    # The sheet of the tutorial's workbook as text, which needs no reader of workbooks.
    addresses=(
        "https://raw.githubusercontent.com/LauraMonne/Monne-Rodriguez-Laura-PEC1/"
        "8c4f6677486dc63211d26e1037ce67ca27c81b9a/GastricCancer_NMR.csv",
    ),
    convert=converting.gastric,
    classes=_same("no_cancer gastric_cancer"),
    description="""\
Concentrations of 52 metabolites in urine, by nuclear magnetic resonance. They are as measured, and
skewed: take logarithms. The class no_cancer is 40 healthy people and 40 with a benign disease. Of
149 metabolites those are here with less than 10 % missing values and a relative standard deviation
below 20 % in the quality controls.

A. W. Chan et al., British Journal of Cancer, 2016; Metabolomics Workbench project PR000699,
doi:10.21228/M8B10B; the selection of columns follows the tutorial of K. M. Mendez et al., 2019,
github.com/CIMCB/MetabWorkflowTutorial. No licence text comes with the data.
""",
)

SOURCES = {
    source.name: source
    for source in (SEGMENT, HABERMAN, TECATOR, COIL20, WISCONSIN, CLEVELAND, GASTRIC)
}
