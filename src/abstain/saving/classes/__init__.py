"""Which classes may a file name?

Those of scikit-learn are the classes that the command line, the README and the guide use, and
similar ones. Other classes are loaded only if the user names them as trusted, without checks.
"""

from abstain.saving.classes.composite import COMPOSITE
from abstain.saving.classes.matrices import MATRICES
from abstain.saving.classes.own import OWN
from abstain.saving.classes.preprocessing import PREPROCESSING
from abstain.saving.classes.reject_option import REJECT_OPTION
from abstain.saving.classes.trees import TREES
from abstain.saving.known import KnownClass

__all__ = ["KNOWN"]

KNOWN: dict[str, KnownClass] = {
    known.name: known
    for known in (REJECT_OPTION, *OWN, *COMPOSITE, *PREPROCESSING, *MATRICES, *TREES)
}
