"""Run the command line with `python -m abstain`."""

from abstain._core.signals import exit_on_signals


def main() -> None:
    """Run the command line; Ctrl-C prints one line, also while modules are imported."""
    exit_on_signals()
    from abstain.cli import main as run

    run()


if __name__ == "__main__":
    main()
