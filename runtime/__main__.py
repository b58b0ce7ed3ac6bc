"""`python -m grognard` is the command line."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path and sys.path:
        # Python puts the folder that the user happens to be in first: it may hold anything, also modules with the names of ours.
        del sys.path[0]
    from grognard.cli.main import main

    sys.exit(main())
