"""Titles made from other programs' data."""
