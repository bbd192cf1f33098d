"""Run the command line with `python -m abstain`."""

from abstain._core.signals import exit_on_signals

__all__ = ["main"]


def main() -> None:
    """Run the command line, after preparing for Ctrl-C, which is reported in one line."""
    exit_on_signals()
    from abstain.cli import main as run

    run()


if __name__ == "__main__":
    main()
