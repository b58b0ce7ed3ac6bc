"""Completion of commands, options and names for shells, made of what the commands themselves declare."""
