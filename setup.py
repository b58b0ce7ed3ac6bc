"""Maps the folders of the tree to one namespace and builds the shipped titles into the wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

PACKAGE_DIR = {
    "grognard": "runtime",
    "grognard.compiler": "compiler",
    "grognard.grammar": "grammar",
    "grognard.rulesdef": "rulesdef",
    "grognard.generated": "generated",
}

BUILD_TITLES = """
import sys
from pathlib import Path
from grognard.compiler.driver.export import build_installed
from grognard.compiler.layers.title_paths import shipped_titles

build_installed(shipped_titles().values(), Path(sys.argv[1]), print)
"""


class BuildWithEngines(build_py):
    """Copies the sources as usual; then, for a wheel, builds every shipped title into grognard/generated, so that
    the installation plays them without the compiler."""

    def run(self) -> None:
        super().run()
        if self.editable_mode or os.environ.get("GROGNARD_NO_ENGINES"):
            # An editable installation builds engines on demand, into the user's cache.
            return
        library = Path(self.build_lib).resolve()
        shutil.rmtree(library / "grognard" / "generated" / "__pycache__", ignore_errors=True)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(library), *sys.path])}
        target = library / "grognard" / "generated"
        command = [sys.executable, "-c", BUILD_TITLES, str(target)]
        # From an empty folder, so that nothing but the library is found.
        subprocess.run(command, env=environment, cwd=library, check=True)


class BinaryDistribution(Distribution):
    """The wheel holds compiled engines: it belongs to one platform and Python."""

    def has_ext_modules(self) -> bool:
        return not os.environ.get("GROGNARD_NO_ENGINES")


def folders(package: str, holding: str) -> list[str]:
    """The packages below one, itself included; those with a file of this pattern."""
    root = Path(PACKAGE_DIR[package])
    return [
        ".".join((package, *folder.relative_to(root).parts))
        for folder in sorted({file.parent for file in root.rglob(holding)})
    ]


TITLES = sorted({*folders("grognard.rulesdef", "*.grog"), *folders("grognard.rulesdef", "*.yaml")})
TEMPLATES = "grognard.compiler.cython.templates"

setup(
    distclass=BinaryDistribution,
    cmdclass={"build_py": BuildWithEngines},
    package_dir=PACKAGE_DIR,
    packages=[
        *folders("grognard", "__init__.py"),
        *folders("grognard.compiler", "__init__.py"),
        "grognard.grammar",
        "grognard.rulesdef",
        "grognard.generated",
        TEMPLATES,
        *TITLES,
    ],
    package_data={
        "grognard": ["py.typed"],
        "grognard.kernels": ["*.h"],
        "grognard.drawing": ["*.json"],
        "grognard.web": ["*.html", "*.js", "*.css", "*.svg"],
        "grognard.binding": ["*.pyx", "*.pxi"],
        TEMPLATES: ["*"],
        "grognard.grammar": ["*.lark"],
        **{title: ["*.grog", "*.yaml"] for title in TITLES},
    },
)
