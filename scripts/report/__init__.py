"""Reports: notebooks as HTML pages for reading, teaching and printing offline."""

from .deck import lecture
from .index import index
from .page import page
from .slides import slides

__all__ = ["index", "lecture", "page", "slides"]
