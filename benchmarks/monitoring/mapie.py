"""When does MAPIE's monitor raise an alarm?

``python -m monitoring.mapie FILE LIMIT LEVEL``, in an environment that has MAPIE, prints one line
of JSON: the version, and the first answer of each life (rows of ``wrong`` in the file) at which the
lower bound of the risk is above the limit; null if there is none.

The monitor spends half of its level on reference data. Here the limit is given, so it gets twice
the level, and spends all of the level on the answers.
"""

# mypy: disable-error-code="import-not-found"

import json
import sys
from importlib.metadata import version
from typing import Any

import numpy as np


def first_alarm(wrong: Any, limit: float, level: float) -> int | None:
    """Return the number of answers at the first alarm."""
    from mapie.exchangeability_testing import RiskMonitoring

    monitor = RiskMonitoring("accuracy", test_level=2 * level, threshold=limit, warn=False)
    monitor.update(np.ones(len(wrong), int), (~wrong).astype(int))
    alarms = np.asarray(monitor.online_risk_lower_bound_sequence_history) > limit
    return int(alarms.argmax()) + 1 if alarms.any() else None


if __name__ == "__main__":
    file, limit, level = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    lives = np.load(file)["wrong"]
    alarms = [first_alarm(wrong, limit, level) for wrong in lives]
    print(json.dumps({"version": version("mapie"), "alarms": alarms}))
