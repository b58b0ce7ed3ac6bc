"""What players and authors read on paper: the charts of a title, and its rulebook section by section."""

from grognard.aids.book import book_page
from grognard.aids.charts import title_charts
from grognard.aids.coverage import coverage_chart
from grognard.aids.sheet import aids_page

__all__ = ["aids_page", "book_page", "coverage_chart", "title_charts"]
