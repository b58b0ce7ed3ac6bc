"""The shipped titles: rules and data, no Python."""
