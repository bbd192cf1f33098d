"""What does a command print?

The directive ``console`` runs its commands while the pages are built, and shows each with what it
printed. Commands of one page run one after the other in one folder, so that later ones take the
files of earlier ones. An exit code other than that of the option ``exit``, 0 by default, ends the
build.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

COLUMNS = 80  # about as wide as the text of a page
FOLDERS: dict[str, TemporaryDirectory[str]] = {}


class Console(SphinxDirective):
    """Commands, and what they print."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"exit": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Run the commands of one block."""
        folder = Path(FOLDERS.setdefault(self.env.docname, TemporaryDirectory()).name)
        expected = self.options.get("exit", 0)
        screens = [
            f"$ {command}\n{self._printed(command, folder, expected)}"
            for command in joined(self.content)
        ]
        text = "\n".join(screens)
        return [nodes.literal_block(text, text, language="console", classes=["console"])]

    def _printed(self, command: str, folder: Path, expected: int) -> str:
        """Return what a command prints on both outputs."""
        program, *arguments = shlex.split(command.replace("\\\n", " "))
        if program != "abstain":
            raise self.error(f"only commands of abstain are run, not {program}")
        done = subprocess.run(
            [sys.executable, "-m", "abstain", *arguments],
            cwd=folder,
            env={**os.environ, "COLUMNS": str(COLUMNS), "NO_COLOR": "1", "TERM": "dumb"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode != expected:
            raise self.error(f"{command} ended with {done.returncode}:\n{done.stdout}")
        return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"


def joined(lines: Any) -> list[str]:
    """Return the commands of some lines; one that ends in a backslash goes on in the next."""
    text = "\n".join(lines).replace("\\\n", "\0")
    return [line.replace("\0", "\\\n") for line in text.split("\n") if line]


def forget(app: Any, env: Any, docname: str) -> None:
    """Let the commands of a page begin in an empty folder."""
    FOLDERS.pop(docname, None)


def setup(app: Any) -> dict[str, bool]:
    """Connect what sphinx calls."""
    app.add_directive("console", Console)
    app.connect("env-purge-doc", forget)
    return {"parallel_read_safe": False}
