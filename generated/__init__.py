"""Compiled engines of the shipped titles (see README.md)."""
