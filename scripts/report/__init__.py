"""Reports: notebooks as HTML pages for reading, teaching and printing offline."""

from .index import index
from .page import page

__all__ = ["index", "page"]
