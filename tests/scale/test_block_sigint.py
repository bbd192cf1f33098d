"""Does Ctrl-C reach the process that it is for, when it may?"""

import os
import signal
import subprocess
import sys

import pytest

from abstain._scale.cluster import block_sigint

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="signal masks of POSIX: run this on Linux or macOS"
)


def test_an_interrupt_that_is_held_back_is_not_lost():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    passed = []

    def block():
        with block_sigint():
            os.kill(os.getpid(), signal.SIGINT)
            passed.append("the rest of the block")

    try:
        with pytest.raises(KeyboardInterrupt):
            block()
        assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    finally:
        signal.signal(signal.SIGINT, before)
    assert passed


def test_processes_that_are_started_ignore_it():
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('still there')"
    with block_sigint():
        printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed == "still there\n"
