"""What authors of titles need beside the compiler: a title to begin with, a rulebook's sections, the examples a change can affect."""
