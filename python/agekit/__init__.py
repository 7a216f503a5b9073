"""The Adaptive Graph Encoder (AGE, KDD 2020): attributed graphs, embedded and clustered
without labels, by the Go program ``agekit`` that this package carries.

>>> from agekit import AGE
>>> model = AGE(clusters="auto").fit(graph)  # NetworkX, PyTorch Geometric, scipy, pandas
>>> model.labels_, model.embedding_, model.nodes_
"""

from ._program import AgeError, program

__all__ = ["AGE", "AgeError", "program"]


def __getattr__(name):
    if name == "AGE":  # the command agekit need not wait for scikit-learn
        from ._estimator import AGE

        return AGE
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
