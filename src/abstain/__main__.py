"""Run the command line with `python -m abstain`."""

from abstain._core.signals import exit_on_signals

__all__ = ["main"]


def main() -> None:
    """Run the command line, having first of all seen to it that Ctrl-C is told in one line."""
    exit_on_signals()
    from abstain.cli import main as run

    run()


if __name__ == "__main__":
    main()
