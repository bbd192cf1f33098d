"""The command as a program that can be killed."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import abstain


class Program:
    """The command as a program of its own, with all processes that it starts."""

    def __init__(self, options, folder, jobs):
        source = Path(abstain.__file__).parents[1]
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "abstain", "study", *options, "--jobs", jobs, "--out", folder],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(source)},
        )

    def wait_for_parts(self, number):
        while len(list(self.folder.glob("parts/[!.]*.json"))) < number:
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.005)

    def end(self):
        """End what is left of its processes, and return what it said."""
        shown = self.process.communicate()
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.returncode, *shown
