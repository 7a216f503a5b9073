// Polynomial filters: a curve of the coefficients that the reader moves.
"use strict";

const top_ = 1.48; // λmax of Cora
const binomial = (n, j) => { let c = 1; for (let i = 0; i < j; i++) c = c * (n - i) / (i + 1); return c; };
const lowPass = (k, t) => Array.from({ length: 5 }, (_, j) => j <= t ? binomial(t, j) * (1 - k) ** (t - j) * k ** j : 0);
const presets = [["AGE, k = 2/3, t = 4", lowPass(2 / 3, 4)], ["SGC, t = 4", lowPass(1, 4)], ["GCN, two layers", lowPass(1, 2)], ["ChebNet that learned the opposite: what differs from the neighbors", [1, -1, 0, 0, 0]], ["your own", null]];
const preset = choice($("choose"), { id: "preset", name: "Start from", options: presets.map(([name], i) => [i, name]) }, (i) => { if (presets[i][1]) coefficients.forEach((c, j) => c.set(presets[i][1][j])); draw(); });
const hops = ["itself, c₀", "neighbors, c₁", "two steps, c₂", "three steps, c₃", "four steps, c₄"];
const coefficients = hops.map((name, j) => slider($("coefficients"), { id: "c" + j, name, min: -1.5, max: 1.5, step: 0.001, at: presets[0][1][j], text: (v) => digits(v, 2) }, () => { preset.value = presets.length - 1; draw(); }));

function draw() {
  const c = coefficients.map((s) => s.get()), p = (x) => c.reduce((sum, v, j) => sum + v * (1 - x) ** j, 0);
  const x = Array.from({ length: 75 }, (_, i) => top_ * i / 74), y = x.map(p), high = Math.max(1, ...y.map(Math.abs));
  chart($("response"), { title: "Response", height: 260, label: `p is ${digits(p(0), 2)} at λ = 0 and ${digits(p(top_), 2)} at λmax`, x: { low: 0, high: 1.5, label: "eigenvalue λ" }, y: { low: Math.min(0, ...y) < -0.005 ? -high : 0, high, label: "p(λ)" },
    series: [{ x, y, color: colorOf(0) }], marks: [{ x: top_, text: "λmax of Cora", row: 0 }] });
  const size = y.map(Math.abs), least = size.indexOf(Math.min(...size));
  const rising = size.findIndex((v, i) => v > Math.min(...size.slice(0, i)) + 0.01 * high); // coefficients are rounded
  $("verdict").textContent = rising < 0 ? "Low-pass: the rougher a pattern, the less of it is left." :
    size[0] < 0.05 * high && least === 0 ? "High-pass: what neighbors have in common is taken away, and what differs remains. It suits a graph whose neighbors differ." :
      `Not low-pass: from λ = ${digits(x[rising], 2)} on, rougher patterns are kept more again. At λmax, ${percent(size[74] / Math.max(size[0], 1e-9))} of what is left at λ = 0 remains.`;
  say(`p(0) = ${digits(p(0), 2)}, p(λmax) = ${digits(p(top_), 2)}.`);
}

draw();
window.addEventListener("resize", draw);
