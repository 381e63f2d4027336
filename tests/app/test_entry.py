"""Ctrl-C ends every command in one line and exit code 130, also while modules load."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INTERRUPTED = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Interrupting(MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if fullname == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
sys.argv = ["sakshya", *{arguments!r}]
from app.entry import main
main()
"""


def interrupted(module, *arguments, code=INTERRUPTED):
    """Run a command that is interrupted when it imports the module."""
    program = code.format(module=module, arguments=arguments)
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("app.torch_later", ("status",)),
        ("typer", ("status",)),
        ("app.commands.train", ("check", "query")),
        ("haystack.core.pipeline", ("ask", "q")),
        ("app.checking.check", ("check", "query")),
        ("qdrant_edge", ("status",)),
    ],
)
def test_it_is_one_line_whatever_is_being_loaded(module, arguments):
    done = interrupted(module, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "sakshya: stopped\n")
    done = interrupted(module, *arguments, "--json")
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (130, {"error": "stopped"}, "sakshya: stopped\n")


def test_a_command_that_writes_says_what_is_kept(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    done = interrupted("haystack.core.pipeline", "index", str(tmp_path))
    assert done.returncode == 130
    assert done.stderr == "sakshya: stopped; what was committed is kept, run the command again to go on\n"


def test_an_interrupt_in_a_callback_that_cannot_raise_is_not_lost():
    code = INTERRUPTED.replace(
        "os.kill(os.getpid(), signal.SIGINT)",
        "import weakref; thing = type('T', (), {{}})(); weakref.finalize(thing, os.kill, os.getpid(), signal.SIGINT); "
        "ref = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT)); del thing",
    )
    done = interrupted("haystack.core.pipeline", "ask", "q", code=code)
    assert (done.returncode, done.stderr) == (130, "sakshya: stopped\n")


def test_the_installed_command_starts_there():
    import tomllib

    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"] == {"sakshya": "app.entry:main"}
