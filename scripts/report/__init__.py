"""Reports: notebooks as HTML pages for reading, teaching and printing offline."""

from .deck import lecture
from .index import write_index
from .outputs import checksum, last_outputs
from .page import page, replace
from .slides import slides

__all__ = ["checksum", "last_outputs", "lecture", "page", "replace", "slides", "write_index"]
