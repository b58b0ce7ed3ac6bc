"""Studies: many games of bots, to learn how a scenario plays.  Resumable; on all cores or on a Dask cluster, with the same results."""

from grognard.simulate.study import Study, StudyError, Variant

__all__ = ["Study", "StudyError", "Variant"]
