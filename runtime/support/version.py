"""The version of this installation, for whatever must not import the package itself."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
