"""Which samples share a threshold? The public names of `abstain.certainty.cells`."""

from abstain.certainty.cells import (
    RULES,
    CellRule,
    auto_rule,
    find_cells,
    global_cell,
    leaf,
    predicted_class,
    prototype_cell,
)

__all__ = [
    "RULES",
    "CellRule",
    "auto_rule",
    "find_cells",
    "global_cell",
    "leaf",
    "predicted_class",
    "prototype_cell",
]
