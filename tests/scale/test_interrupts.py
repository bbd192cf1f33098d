"""Is Ctrl-C heard, by whom it is for and when it may be?"""

import os
import signal
import sys

import pytest

from abstain._scale.interrupts import unheard_by_what_starts


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no masks of signals")
def test_an_interrupt_that_is_held_back_is_not_lost():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    passed = []

    def block():
        with unheard_by_what_starts():
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
