// Filter: every move asks agekit for the smoothed signal, its spectrum and the response.
"use strict";

let agekit = null, opened = null, spectrum = null;
const before = new Dots($("before"), "The signal before smoothing. Arrow keys go from node to node, Enter makes one the signal.");
const after = new Dots($("after"), "The signal after smoothing. Arrow keys go from node to node.");
const graphs = { corner: { Dataset: "cora", Nodes: AGEKIT.corner.nodes }, karate: { Files: [{ Path: "/dropped/karate.graphml", Role: "" }], Label: "club" } };
const graph = choice($("choose"), { id: "graph", name: "Graph", options: [["corner", "A corner of Cora: 60 papers"], ["karate", "Karate club: 34 members"]] }, start);
const kind = choice($("choose"), { id: "kind", name: "Signal", options: [["class", "a class"], ["node", "one node"], ["noise", "noise"], ["eigenvector", "an eigenvector"]] }, () => { ranges(); ask(); });
const which = slider($("choose"), { id: "which", name: "Which", min: 0, max: 6, step: 1, at: 0, text: (v) => kind.value === "class" && opened && opened.ClassNames ? opened.ClassNames[v] : String(v) }, () => ask());
const k = slider($("sliders"), { id: "k", name: "k", min: 0.05, max: 1.5, step: 0.005, at: 0.665, text: (v) => digits(v) }, () => ask());
const t = slider($("sliders"), { id: "t", name: "t", min: 0, max: 20, step: 1, at: 1, text: (v) => String(v) }, () => ask());
let exactK = null;

function ranges() {
  const most = { class: (opened ? opened.Classes : 7) - 1, node: (opened ? opened.Nodes : 60) - 1, noise: 20, eigenvector: (opened ? opened.Nodes : 60) - 1 }[kind.value];
  which.input.max = most;
  which.set(Math.min(which.get(), most)); // also says its name
}

async function start() {
  agekit.files([{ path: "/dropped/karate.graphml", bytes: new TextEncoder().encode(AGEKIT.karate.file) }]);
  opened = await agekit.call("open", graphs[graph.value]);
  spectrum = await agekit.call("filter.start");
  for (const d of [before, after]) {
    d.place(Float32Array.from(AGEKIT[graph.value].places, (v, i) => i % 2 ? -v : v), 0);
    d.lines = [{ ends: opened.numbers.ends, color: () => css("--muted"), alpha: 0.5, width: 1 }];
    d.radius = 6;
  }
  // The class that most nodes are in is the one that smoothing has most to do with.
  const sizes = [];
  for (const c of opened.numbers.labels) sizes[c] = (sizes[c] || 0) + 1;
  kind.value = "class"; ranges(); which.set(sizes.findIndex((s) => s === Math.max(...sizes.filter(Boolean))));
  ask();
}

const ask = newest(async () => {
  if (!spectrum) return;
  const args = { Signal: kind.value, Index: which.get(), K: exactK ?? k.get(), Layers: t.get() };
  exactK = null;
  const a = await agekit.call("filter.apply", args), n = a.numbers, scale = Math.max(...n.before.map(Math.abs)) || 1;
  for (const [d, values] of [[before, n.before], [after, n.after]]) {
    d.color = Array.from(values, (v) => signalColor(v / scale));
    d.tell = (i) => `${opened.NodeNames ? opened.NodeNames[i] : "node " + i}: ${digits(values[i])}`;
    d.draw();
  }
  $("r0").textContent = digits(a.RayleighBefore); $("r1").textContent = digits(a.RayleighAfter); $("norm").textContent = digits(a.Norm);
  const top = spectrum.LambdaMax;
  $("verdict").textContent = args.Layers === 0 ? "Without a layer, nothing changes." :
    a.LowPass ? `k = ${digits(args.K)} is at most 1/λmax = ${digits(1 / top)}: the rougher a pattern, the more of it is taken away. At λmax, ${percent(a.AtMax, 1)} is left.` :
    `k = ${digits(args.K)} is above 1/λmax = ${digits(1 / top)}: beyond λ = 1/k = ${digits(1 / args.K)} the response rises again, and at λmax ${percent(a.AtMax, 1)} is left.`;
  const xs = a.Amplitude.map((_, i) => i / 100), high = Math.max(1, Math.min(2, ...[Math.max(...a.Amplitude)]));
  chart($("response"), { title: "Response", height: 210, label: `Amplitude of the filter by eigenvalue, 1 at 0 and ${digits(a.AtMax)} at the largest eigenvalue, ${digits(top)}`,
    x: { low: 0, high: 2, label: "eigenvalue λ of L̃ (roughness)", ticks: [0, 0.5, 1, 1.5, 2] }, y: { low: 0, high: 1.05 * high, label: "amplitude |1 − kλ|ᵗ" },
    series: [{ name: "response", x: xs, y: a.Amplitude, color: colorOf(0) }, { name: "the graph's eigenvalues", only: true, dots: 2.5, x: spectrum.Values, y: spectrum.Values.map((v) => a.Amplitude[Math.round(100 * Math.max(0, v))]), color: colorOf(4) }],
    marks: [{ x: 1 / args.K, text: "1/k", row: 0 }, { x: top, text: "λmax", row: 1 }] });
  const square = (list) => Array.from(list, (v) => Math.abs(v)), b = square(n.spectrumBefore), c = square(n.spectrumAfter);
  chart($("spectrum"), { title: "Spectrum", height: 210, label: "Coefficients of the signal by eigenvalue, before and after",
    x: { low: 0, high: 2, label: "eigenvalue λ of L̃ (roughness)", ticks: [0, 0.5, 1, 1.5, 2] }, y: { low: 0, high: 1.05 * Math.max(...b, ...c), label: "coefficient |uᵀx| of each eigenvector u" },
    series: [{ name: "before", only: true, dots: 3.5, x: spectrum.Values, y: b, color: css("--muted") }, { name: "after", only: true, dots: 2.6, x: spectrum.Values, y: c, color: colorOf(1) }] });
  say(`${opened.Name}: λmax = ${digits(top)}. ${plural(args.Layers, "layer")}: Rayleigh quotient ${digits(a.RayleighBefore)} → ${digits(a.RayleighAfter)}.`);
});

before.choose = (i) => { kind.value = "node"; ranges(); which.set(i); ask(); };
after.choose = before.choose;
before.onpoint = (i) => { after.marked = i; after.draw(); };
const exactly = (value) => { if (!spectrum) return; k.set(value()); exactK = value(); ask(); };
$("best").addEventListener("click", () => exactly(() => 1 / spectrum.LambdaMax));
$("two").addEventListener("click", () => exactly(() => 2 / 3));
$("one").addEventListener("click", () => exactly(() => 1));
window.addEventListener("resize", () => ask());

for (const d of [before, after]) { d.lines = []; d.place(Float32Array.from(AGEKIT.corner.places, (v, i) => i % 2 ? -v : v), 0); }
load().then(async (program) => { agekit = program; await agekit.ready; await start(); });
