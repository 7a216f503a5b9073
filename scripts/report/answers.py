"""What a class predicted on the site's page Predict, as the first slide of a deck: the
histogram of its answers beside what agekit computed."""

import json
import statistics

METHODS = {"K-means": "features alone", "Leiden": "edges alone", "LS": "smoothing", "LS+RA": "LS+RA", "AGE": "AGE"}


def read(folder):
    """The answers in a folder's files, as the page saves them. Others are left out."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            answer = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(answer, dict) and answer.get("agekit") == "answers 1":
            truths = answer.get("truths")
            found.append((answer, truths if isinstance(truths, dict) else {}))
    return found


def share(value):
    """A share from 0 to 1, or None."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if number and 0 <= value <= 1 else None


def most(values):
    """What the most files say, or None."""
    return statistics.mode(values) if values else None


def slide(folder):
    """The slide as Markdown, or "" without answers."""
    all_answers = read(folder)
    shares = [v for a, _ in all_answers if (v := share(a.get("share"))) is not None]
    picks = [a["method"] for a, _ in all_answers if a.get("method") in METHODS]
    if not shares and not picks:
        return ""
    true_share = most([v for _, t in all_answers if (v := share(t.get("share"))) is not None])
    best = most([t["method"] for _, t in all_answers if t.get("method") in METHODS])
    parts = [f"## What you predicted\n\n{len(all_answers)} answer{'s' if len(all_answers) > 1 else ''}."]
    if shares:
        bins = [0] * 10
        for v in shares:
            bins[min(9, int(10 * v))] += 1
        truth = None if true_share is None else min(9, int(10 * true_share))
        said = "" if true_share is None else f" Computed: {100 * true_share:.0f} %."
        parts.append("Pairs of the same group." + said + "\n\n" + bars(bins, [f"{10 * i}–{10 * i + 10} %" for i in range(10)], truth))
    if picks:
        counts = [picks.count(m) for m in METHODS]
        truth = list(METHODS).index(best) if best else None
        parts.append("The best method." + (f" Computed: {METHODS[best]}." if best else "") + "\n\n" + bars(counts, list(METHODS.values()), truth))
    return "\n\n".join(parts)


def bars(counts, names, truth):
    """A histogram as SVG; the bar of the truth is marked."""
    step, high = 700 // len(counts), max(1, *counts)
    drawn = [f'<svg viewBox="0 0 720 190" width="100%" style="max-height:210px" role="img" aria-label="{", ".join(f"{n}: {c}" for n, c in zip(names, counts))}">']
    for i, (count, name) in enumerate(zip(counts, names)):
        left, top = 10 + i * step, 150 - 120 * count / high
        color = "#d55e00" if i == truth else "#0072b2"
        drawn.append(f'<rect x="{left}" y="{top:.0f}" width="{step - 8}" height="{150 - top:.0f}" fill="{color}"/>')
        drawn.append(f'<text x="{left + step / 2 - 4:.0f}" y="{top - 5:.0f}" text-anchor="middle" fill="currentColor" font-size="15">{count}{" ✓" if i == truth else ""}</text>')
        drawn.append(f'<text x="{left + step / 2 - 4:.0f}" y="172" text-anchor="middle" fill="currentColor" font-size="13">{name}</text>')
    return "".join(drawn) + "</svg>"
