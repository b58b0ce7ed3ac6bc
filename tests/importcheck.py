"""Hold the order of packages: import-linter over the package as it is installed, no private name across modules, no long module.

The contracts are in pyproject.toml, under [tool.importlinter].
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from installed_tree import ROOT, installed_tree

#: Names with an underscore that belong to Python or to a library.
FOREIGN = {
    "_replace",
    "_fields",
    "_asdict",
    "_make",
    "_actions",
    "_name",
    "_exit",
    "_getframe",
    "_choices_actions",
}


def import_order() -> int:
    with installed_tree() as scratch:
        path = os.pathsep.join([str(scratch), os.environ.get("PYTHONPATH", "")])
        # The scratch package must be found before the one that is installed.
        command = [sys.executable, "-c", LINT, str(scratch), str(ROOT / "pyproject.toml")]
        return subprocess.run(
            command, cwd=scratch, env={**os.environ, "PYTHONPATH": path}, check=False
        ).returncode


LINT = """
import sys
# An editable installation finds packages by a finder of its own, which comes first: the tree is to be looked at.
sys.meta_path[:] = [finder for finder in sys.meta_path if "__editable__" not in str(getattr(finder, "__module__", ""))]
sys.path.insert(0, sys.argv[1])
from importlinter.cli import lint_imports
sys.exit(lint_imports(config_filename=sys.argv[2], cache_dir=None, no_cache=True))
"""


def private_names(path: Path) -> Iterator[tuple[int, str]]:
    """Private names of other modules that a module uses: imported, or read from an object of a class defined elsewhere."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = {
        name
        for node in ast.walk(tree)
        for name in (
            [node.name]
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
            else [node.id]
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            else [node.attr]
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("self", "cls")
            else []
        )
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if is_private(alias.name):
                    yield node.lineno, alias.name
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own | FOREIGN:
            yield node.lineno, node.attr


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


#: Modules have one job; a longer one says why at its top.
MOST_LINES = 500
LONGER = "Longer than 500 lines"


def too_long() -> Iterator[str]:
    """Files of code with more lines than that and no reason."""
    for folder in ("runtime", "compiler", "grammar", "tests", "bench"):
        for path in sorted((ROOT / folder).rglob("*")):
            if (
                path.suffix in (".py", ".pyx", ".pxi", ".h", ".c", ".js", ".j2", ".lark")
                and "build" not in path.parts
            ):
                lines = path.read_text(encoding="utf-8").splitlines()
                if len(lines) > MOST_LINES and not any(LONGER in line for line in lines[:12]):
                    yield f"{path.relative_to(ROOT)}: {len(lines)} lines"


def main() -> int:
    status = import_order()
    for found in too_long():
        print(f"{found}, {MOST_LINES} at most (or `{LONGER}: why` at its top)")
        status = status or 1
    for folder in ("runtime", "compiler"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for line, name in private_names(path):
                print(f"{path.relative_to(ROOT)}:{line}: {name} is private to another module")
                status = status or 1
    return status


if __name__ == "__main__":
    sys.exit(main())
