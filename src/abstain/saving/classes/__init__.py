"""Which classes may a file name?

scikit-learn's are those of the command line, the README and the guide, and their close relatives.
Others can be loaded only by a user who names them as trusted, and are then checked no further.
"""

from abstain.saving.classes.composite import COMPOSITE
from abstain.saving.classes.matrices import MATRICES
from abstain.saving.classes.own import OWN
from abstain.saving.classes.preprocessing import PREPROCESSING
from abstain.saving.classes.reject_option import REJECT_OPTION
from abstain.saving.classes.trees import TREES
from abstain.saving.known import Known

__all__ = ["KNOWN"]

KNOWN: dict[str, Known] = {
    known.name: known
    for known in (REJECT_OPTION, *OWN, *COMPOSITE, *PREPROCESSING, *MATRICES, *TREES)
}
