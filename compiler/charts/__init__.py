"""Charts and excerpts made of a title's declarations, as they are in force."""

from grognard.compiler.charts.declared import declared_charts

__all__ = ["declared_charts"]
