"""What a notebook shows of a fitted model."""

from __future__ import annotations

import base64
import html
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

# The program's colors of clusters. Beyond them they repeat.
COLORS = (
    "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #8c564b #6a3d9a #7f7f7f #bcbd22 "
    "#e31a1c #17becf #33a02c #f781bf #1f3b73 #b15928 #a6ce39 #9e0142 #66c2a5 #fdae61"
).split()
# As many points as an output of a notebook can hold.
MOST = 3000


def page(record: dict[str, Any], scores: dict[str, float], clusters: list[dict[str, Any]], nodes: pd.DataFrame, labels: npt.NDArray[np.int64]) -> str:
    """Returns a map of the nodes and a table of the clusters."""
    listed = ", ".join(f"{name if name in ('modularity', 'conductance') else name.upper()} {value:.3f}" for name, value in scores.items())
    named = record["named_features"]
    columns = ("", "cluster", "nodes", "edges inside", *(["what sets it apart"] if named else []), "central nodes")
    rows = "".join(_row(c, named) for c in clusters)
    return (
        f"<div><p><b>AGE</b>: {labels.max() + 1} clusters of {record['n']:,} nodes with {record['edges']:,} edges; {html.escape(listed)}</p>"
        f"{_summary(record)}"
        f"{_map(record['columns'], nodes, labels)}<table><thead><tr>{''.join(f'<th>{c}</th>' for c in columns)}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _summary(record: dict[str, Any]) -> str:
    return f"<p>{html.escape(record['summary'])}</p>" if record.get("summary") else ""


def _row(cluster: dict[str, Any], named: bool) -> str:
    features = [", ".join(map(_feature, (cluster.get("features") or [])[:3]))] if named else []
    color = COLORS[cluster["cluster"] % len(COLORS)]
    cells = (cluster["cluster"], cluster["size"], f"{cluster['edges_inside']:.0%}", *features, ", ".join(map(str, cluster["central"])))
    return f'<tr><td style="color:{color}">●</td>' + "".join(f"<td>{html.escape(str(c))}</td>" for c in cells) + "</tr>"


def _feature(feature: dict[str, Any]) -> str:
    if feature["binary"]:
        return f"{feature['name']} ({feature['inside']:.0%}, others {feature['outside']:.0%})"
    inside, outside = (f"{v:,.0f}" if abs(v) >= 100 else f"{v:.3g}" for v in (feature["inside"], feature["outside"]))
    return f"{feature['name']} {inside} (others {outside})"


def _map(columns: dict[str, str], nodes: pd.DataFrame, labels: npt.NDArray[np.int64]) -> str:
    """Returns the map as a picture, which notebooks show without trust."""
    if not columns.get("x"):
        return ""
    places = nodes[[columns["x"], columns["y"]]].to_numpy(float)
    order = np.arange(len(places))
    if len(places) > MOST:
        order = np.sort(np.random.default_rng(0).choice(len(places), MOST, replace=False))
    places[:, 1] *= -1  # up, as report() has it
    low, high = places.min(axis=0), places.max(axis=0)
    at = 10 + 380 * (places - low) / np.maximum(high - low, 1e-12).max()
    radius = 5 if len(order) < 200 else 3 if len(order) < 1000 else 2
    dots = "".join(f'<circle cx="{at[i, 0]:.1f}" cy="{at[i, 1]:.1f}" r="{radius}" fill="{COLORS[labels[i] % len(COLORS)]}"/>' for i in order)
    width, height = at.max(axis=0) + 10
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" fill-opacity="0.8">{dots}</svg>'
    some = f"<p>{MOST:,} of {len(places):,} nodes are drawn; report() has all.</p>" if len(order) < len(places) else ""
    return f'<img alt="Map of the nodes, in the colors of their clusters" src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"/>{some}'
