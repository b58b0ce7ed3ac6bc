"""The command line: one module for each command, with `add_arguments` and `run`; main.py finds and guards them."""
