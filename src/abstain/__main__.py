"""Run the command line with `python -m abstain`."""

from abstain._core.signals import leave_when_told

__all__ = ["main"]


def main() -> None:
    """Run the command line, having first of all seen to it that Ctrl-C is told in one line."""
    leave_when_told()
    from abstain.cli import main as run

    run()


if __name__ == "__main__":
    main()
