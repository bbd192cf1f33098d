"""Run the command line with `python -m abstain`."""

import atexit
import gc

from abstain._core.signals import exit_on_signals

# More than a short command creates, most of them by imports.
_OBJECTS_TO_COLLECT = 500_000


def main() -> None:
    """Run the command line; Ctrl-C prints one line, also while modules are imported."""
    exit_on_signals()
    postpone_collection()
    from abstain.cli import main as run

    run()


def postpone_collection() -> None:
    """Collect no garbage while modules are imported: nearly all that they create is kept.

    To go through it again and again, and once more at the end of the process, takes about a quarter
    of the time of a short command. After the first collection, Python collects as often as usual,
    and leaves out what was there.
    """
    usual = gc.get_threshold()

    def collect_as_usual(phase: str, info: dict[str, int]) -> None:
        if phase == "stop":
            gc.callbacks.remove(collect_as_usual)
            gc.freeze()
            gc.set_threshold(*usual)

    gc.callbacks.append(collect_as_usual)
    gc.set_threshold(_OBJECTS_TO_COLLECT)
    atexit.register(gc.freeze)


if __name__ == "__main__":
    main()
