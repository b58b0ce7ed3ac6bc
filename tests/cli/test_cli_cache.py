"""The command line where the cache cannot be used, and in folders that hold modules of their own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners and modes of files are those of Unix")

#: The program as an installation starts it.
GROGNARD = [sys.executable, "-P", "-m", "grognard"]
PLAY = ("play", "connect_four", "--auto", "5")


def run(*words: str, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*GROGNARD, *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | {"GROGNARD_QUICK": "1"} | more,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the engine of PLAY in it."""
    cache = tmp_path_factory.mktemp("filled") / "cache"
    assert run("build", "connect_four", GROGNARD_CACHE=str(cache)).returncode == 0
    assert cache.stat().st_mode & 0o022 == 0
    return cache


@pytest.fixture
def spare(tmp_path: Path) -> Path:
    (tmp_path / "tmp").mkdir(mode=0o700)
    return tmp_path / "tmp"


def test_a_cache_that_is_a_file_or_cannot_be_made(tmp_path: Path, spare: Path, filled: Path) -> None:
    shutil.copytree(filled, spare / f"grognard-{os.getuid()}")
    shaped = tmp_path / "shaped"
    shaped.write_text("a file")
    for cache in (shaped, shaped / "below", Path("/proc/grognard")):
        done = run(*PLAY, GROGNARD_CACHE=str(cache), TMPDIR=str(spare))
        assert done.returncode == 0, done.stderr
        assert f"the cache {cache} cannot be used" in done.stderr and str(spare) in done.stderr
        assert "running on Python" not in done.stderr


def test_no_folder_at_all(tmp_path: Path) -> None:
    code = (
        "import sys, tempfile; from grognard.cli.main import main\n"
        "from grognard.support import userdirs\n"
        "def full(*a, **k): raise OSError(28, 'No space left on device')\n"
        "tempfile.mkdtemp = full; tempfile.gettempdir = full\n"
        f"sys.exit(main({list(PLAY)!r}))"
    )
    environment = os.environ | {"GROGNARD_CACHE": "/proc/grognard"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "running on Python, not on a compiled engine: there is no folder" in done.stderr


def test_where_code_may_not_be_run(spare: Path, filled: Path) -> None:
    """As on a disk mounted with noexec, which a test cannot mount: whatever is loaded from the cache is refused."""
    code = (
        "import sys; from grognard.binding import load; from grognard.cli.main import main\n"
        "good = load._import\n"
        "def refuse(key, name, path):\n"
        "    if not str(path).startswith({allowed!r}): raise ImportError(f'{{path}}: failed to map segment')\n"
        "    return good(key, name, path)\n"
        "load._import = refuse\n"
        f"sys.exit(main({list(PLAY)!r}))"
    )
    environment = os.environ | {"GROGNARD_QUICK": "1", "GROGNARD_CACHE": str(filled), "TMPDIR": str(spare)}
    for allowed, told in ((str(spare), ""), ("/nowhere", "running on Python, not on a compiled engine: ")):
        done = subprocess.run(
            [sys.executable, "-c", code.format(allowed=allowed)],
            capture_output=True, text=True, env=environment, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert told in done.stderr and (told or not done.stderr)
    assert not list(spare.glob("grognard-*/*"))


def test_modules_of_the_current_folder_are_not_imported(tmp_path: Path) -> None:
    """Neither by the program nor by processes that it starts."""
    for name in (
        "yaml",
        "lark",
        "Cython",
        "random",
        "struct",
        "signal",
        "grognard_engine",
        "argparse",
        "selectors",
    ):
        (tmp_path / f"{name}.py").write_text("import os\nos._exit(77)\n")
    words = ["-n", "4", "--jobs", "2", "--backend", "interpreter", "--max-answers", "20"]
    assert run("match", "connect_four", "random", "random", *words, cwd=tmp_path).returncode == 0
    assert "there is no title" in run("build", "nothing", "--sanitize", cwd=tmp_path).stderr
    # Also where Python was told nothing of it: `python -m grognard` begins in the folder.
    (tmp_path / "signal.py").unlink()
    plain = subprocess.run(
        [sys.executable, "-m", "grognard", "check", "connect_four"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert plain.returncode == 0


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are counted in /proc")
@pytest.mark.parametrize(
    "words",
    [
        ("build", "connect_four"),
        (
            "match",
            "connect_four",
            "mcts:100000",
            "mcts:100000",
            "-n",
            "2",
            "--jobs",
            "2",
            "--backend",
            "interpreter",
        ),
    ],
    ids=lambda words: words[0],
)
def test_ctrl_c_is_told_once(words: tuple[str, ...], tmp_path: Path, filled: Path) -> None:
    """The terminal sends it to all processes of the program; only the first one answers."""
    shutil.copytree(filled / "trees", tmp_path / "cache" / "trees")
    environment = os.environ | {"GROGNARD_CACHE": str(tmp_path / "cache")}
    process = subprocess.Popen(
        [*GROGNARD, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment, process_group=0,
    )  # fmt: skip
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    tasks = Path(f"/proc/{process.pid}/task")
    while len([n for task in tasks.iterdir() for n in (task / children.name).read_text().split()]) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert told.splitlines() == ["grognard: interrupted"]
