"""What is known of the real data sets, from their descriptions."""

from dataclasses import dataclass


@dataclass
class Facts:
    name: str
    shape: tuple[int, int]
    classes: dict[str, int]
    missing: int
    incomplete_rows: int
    origin: str


REGIONS = ["brickface", "sky", "foliage", "cement", "window", "path", "grass"]
FACTS = [
    Facts("segment", (2310, 19), dict.fromkeys(REGIONS, 330), 0, 0, "C. Brodley, 1990"),
    Facts("haberman", (306, 3), {"survived": 225, "died": 81}, 0, 0, "S. J. Haberman, 1976"),
    Facts("tecator", (215, 100), {"low": 107, "high": 108}, 0, 0, "H. H. Thodberg"),
    Facts(
        "coil20",
        (1440, 16384),
        {f"object {number}": 72 for number in range(1, 21)},
        0,
        0,
        "CUCS-005-96",
    ),
    Facts("wisconsin", (699, 9), {"benign": 458, "malignant": 241}, 16, 16, "W. H. Wolberg"),
    Facts("cleveland", (303, 13), {"absent": 164, "present": 139}, 6, 6, "R. Detrano"),
    Facts("gastric", (123, 52), {"no_cancer": 80, "gastric_cancer": 43}, 126, 64, "M8B10B"),
]
