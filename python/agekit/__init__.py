"""The Adaptive Graph Encoder (AGE, KDD 2020): attributed graphs, embedded and clustered
without labels, by the Go program ``agekit`` that this package carries.

>>> from agekit import AGE
>>> model = AGE().fit(graph)  # NetworkX, igraph, PyTorch Geometric, scipy, pandas
>>> model.labels_, model.embedding_, model.nodes_
"""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from ._program import AgeError, AgeWarning, program

if TYPE_CHECKING:
    from ._estimator import AGE as AGE

__all__ = ["AGE", "AgeError", "AgeWarning", "__version__", "program"]

__version__ = version("agekit")


def __getattr__(name: str) -> Any:
    if name == "AGE":  # the command agekit need not wait for scikit-learn
        from ._estimator import AGE

        return AGE
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
