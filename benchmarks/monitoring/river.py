"""When do river's detectors of change raise an alarm?

``python -m monitoring.river FILE DETECTOR PARAMETER WARM_START``, in an environment that has river,
prints one line of JSON: the version, and the first answer of each life (rows of ``wrong`` in the
file) at which the detector reports a change; null if it reports none.
"""

# mypy: disable-error-code="import-not-found"

import json
import sys
from importlib.metadata import version
from typing import Any

import numpy as np


def detector(name: str, parameter: float, warm_start: int) -> Any:
    """Return a new detector: ADWIN with this delta, or DDM with this drift_threshold.

    DDM reports nothing before as many answers as ``warm_start``.
    """
    from river import drift

    if name == "ADWIN":
        return drift.ADWIN(delta=parameter)
    return drift.binary.DDM(warm_start, warning_threshold=parameter, drift_threshold=parameter)


def first_alarm(wrong: Any, name: str, parameter: float, warm_start: int) -> int | None:
    """Return the number of answers at the first alarm; only a rise of the error rate is one."""
    monitor = detector(name, parameter, warm_start)
    for number, outcome in enumerate(wrong.tolist(), start=1):
        before = getattr(monitor, "estimation", 0.0)
        monitor.update(outcome)
        if monitor.drift_detected and getattr(monitor, "estimation", 1.0) > before:
            return number
    return None


if __name__ == "__main__":
    file, name, parameter, warm_start = *sys.argv[1:3], float(sys.argv[3]), int(sys.argv[4])
    lives = np.load(file)["wrong"]
    alarms = [first_alarm(wrong, name, parameter, warm_start) for wrong in lives]
    print(json.dumps({"version": version("river"), "alarms": alarms}))
