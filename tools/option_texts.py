"""Does any module below the command line contain the text of an option?

Library code marks the arguments in its messages (``abstain._core.errors.Argument``), and the
command line writes them as options. Run it for the list: ``python -m tools.option_texts``.
"""

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "abstain"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
# Files that are still to be mended.
PENDING = {
    "_scale/cluster.py",
    "_scale/patience.py",
}


def option_texts() -> list[str]:
    """Return the file, the line and the text of every option below ``cli``."""
    findings = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith("cli/"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            findings += [f"{name}:{number}: {text}" for text in OPTION.findall(line)]
    return findings


def unexpected() -> list[str]:
    """Return the findings in files that are not pending."""
    return [each for each in option_texts() if each.split(":")[0] not in PENDING]


if __name__ == "__main__":
    texts = option_texts()
    print("\n".join(texts) or "no option is named below the command line")
    sys.exit(bool(texts))
