"""The table: games of any title for browsers, kept as lists of events.  See docs/table.md; started by `grognard serve`."""
