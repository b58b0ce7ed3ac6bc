"""Maps the folders of the tree to one namespace and builds the shipped titles' engines into the wheel."""

from __future__ import annotations

from setuptools import setup

PACKAGE_DIR = {
    "grognard": "runtime",
    "grognard.compiler": "compiler",
    "grognard.grammar": "grammar",
    "grognard.rulesdef": "rulesdef",
    "grognard.generated": "generated",
}

setup(
    package_dir=PACKAGE_DIR,
    packages=[
        "grognard",
        "grognard.geometry",
        "grognard.kernels",
        "grognard.cli",
        "grognard.compiler",
        "grognard.grammar",
        "grognard.rulesdef",
        "grognard.generated",
    ],
)
