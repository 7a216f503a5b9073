"""Reports: notebooks as HTML pages for reading, teaching and printing offline."""

from .index import index
from .page import page
from .slides import slides

__all__ = ["index", "page", "slides"]
