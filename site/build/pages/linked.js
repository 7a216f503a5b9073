// What the linked views (figure.LinkedViews) need of a page.
"use strict";

const ui = {
  html(parent, tag, attributes, text) { const e = el(tag, attributes); if (text !== undefined) e.textContent = text; parent.append(e); return e; },
  svg(parent, tag, attributes, text) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
    if (text !== undefined) e.textContent = text;
    parent.append(e);
    return e;
  },
  signal: (v) => signalColor(dark.matches ? 0.55 * v : v), // dark enough for the light text above it
  number: (v, n) => Number.isInteger(v) ? String(v).replace("-", "−") : digits(v, n),
};
