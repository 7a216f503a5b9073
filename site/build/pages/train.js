// Train: one call of agekit per epoch, so that the reader can stop, step and go back.
"use strict";

const state = { opened: null, running: false, busy: false, history: [], scores: [], epoch: 0, epochs: 40, selected: null, clusters: null, labels: null, changed: false, done: false };
const dots = new Dots($("map"), "Map of the nodes. Arrow keys go from node to node.");
let agekit = null, mapper = null;

const graphs = [["cora", "Cora: 2,708 papers"], ["karate", "Karate club: 34 members"], ["corner", "A corner of Cora: 60 papers"], ["planted", "Planted: 600 nodes, 4 groups"]];
const chooser = choice($("choose"), { id: "graph", name: "Graph", options: graphs, at: "cora" }, (name) => name === "own" ? openOwn("") : open(name));
const coloring = choice($("color"), { id: "coloring", name: "Colors", options: [["classes", "classes"], ["clusters", "clusters found"]] }, recolor);

const log10 = (text) => ({ value: (v) => +(10 ** v).toPrecision(2), text });
const share = { value: (v) => +(10 ** v).toPrecision(2), text: (v) => (100 * v).toPrecision(2).replace(/\.0$/, "") + " %" };
const plain = (v) => String(v);
const changes = () => { state.changed = true; };
const set = {
  rate: slider($("set1"), { id: "rate", name: "Learning rate", min: -4, max: 1, step: 0.1, at: -3, ...log10((v) => String(v)) }, changes),
  epochs: slider($("set1"), { id: "epochcount", name: "Epochs", min: 10, max: 320, step: 10, at: 40, text: plain }, (v) => { state.changed = true; if (state.opened && v > state.epoch) state.done = false; buttons(); }),
  seed: slider($("set1"), { id: "seed", name: "Seed", min: 0, max: 20, step: 1, at: 0, text: plain }),
  posStart: slider($("set2"), { id: "posstart", name: "Positive, first", min: -4, max: -0.3, step: 0.05, at: -1.96, ...share }, changes),
  posEnd: slider($("set2"), { id: "posend", name: "Positive, last", min: -4, max: -0.3, step: 0.05, at: -3, ...share }, changes),
  negStart: slider($("set2"), { id: "negstart", name: "Negative, first", min: 0.05, max: 0.99, step: 0.01, at: 0.1, value: (v) => v, text: (v) => Math.round(100 - 100 * v) + " %" }, changes),
  negEnd: slider($("set2"), { id: "negend", name: "Negative, last", min: 0.05, max: 0.99, step: 0.01, at: 0.5, value: (v) => v, text: (v) => Math.round(100 - 100 * v) + " %" }, changes),
  layers: slider($("set3"), { id: "layers", name: "Layers t", min: 0, max: 20, step: 1, at: 8, text: plain }),
  dims: slider($("set3"), { id: "dims", name: "Dimensions", min: 4, max: 9, step: 1, at: 7, value: (v) => 2 ** v, text: plain }),
};
set.loss = choice($("set1"), { id: "lossname", name: "Loss", options: [["probability", "cosine (paper)"], ["logits", "logits (code)"]] }, changes);
set.ranking = choice($("set3"), { id: "ranking", name: "Selection", options: [["256", "256 anchors"], ["1024", "1,024 anchors"], ["exact", "all pairs"]] }, changes);
set.clusters = el("input", { type: "number", id: "clusters", min: 2, max: 50, value: 7 });
$("set3").append(el("div", { class: "field" }, el("label", { for: "clusters" }, "Clusters"), set.clusters));
const broken = choice($("set3"), { id: "broken", name: "Break it", options: [["", "choose …"], ["rate", "learning rate 3"], ["nofilter", "no smoothing"], ["oversmooth", "20 layers"], ["allpos", "half of all pairs positive"], ["few", "0.01 % positive"]] }, breakIt);

function breakIt(how) {
  defaults();
  if (how === "rate") set.rate.set(Math.log10(3));
  if (how === "nofilter") set.layers.set(0);
  if (how === "oversmooth") set.layers.set(20);
  if (how === "allpos") { set.posStart.set(-0.3); set.posEnd.set(-0.3); set.negStart.set(0.6); set.negEnd.set(0.6); }
  if (how === "few") { set.posStart.set(-4); set.posEnd.set(-4); }
  broken.value = how;
  begin().then(() => how && run());
}

function defaults() {
  const o = state.opened;
  set.rate.set(-3); set.layers.set(o.Layers); set.epochs.set(o.Epochs); set.loss.value = "probability";
  set.posStart.set(Math.log10(o.PosStart)); set.posEnd.set(Math.log10(o.PosEnd)); set.negStart.set(o.NegStart); set.negEnd.set(o.NegEnd);
}

function settings() {
  return {
    layers: set.layers.get(), k: set.layers.get() ? 0 : 1, dims: Math.min(set.dims.get(), 512), epochs: set.epochs.get(), learning_rate: set.rate.get(),
    thresholds: {
      pos_start: set.posStart.get(), pos_end: Math.min(set.posStart.get(), set.posEnd.get()),
      neg_start: set.negStart.get(), neg_end: Math.max(set.negStart.get(), set.negEnd.get()),
    },
    loss: set.loss.value, ranking: set.ranking.value === "exact" ? "exact" : "sampled", anchors: set.ranking.value === "exact" ? 256 : Math.min(+set.ranking.value, state.opened.Nodes),
    epoch_pairs: 20000, clusters: +set.clusters.value, seed: set.seed.get(),
  };
}

// ongoing returns the settings of a training that goes on: some hold only from its start.
function ongoing() {
  const { layers, k, dims, seed } = state.asked;
  return { ...settings(), layers, k, dims, seed };
}

// The first picture needs no program: the places that agekit gave Cora's nodes when the
// site was made.
function firstPicture() {
  const c = AGEKIT.cora;
  state.labels = Array.from(atob(c.labels), (b) => b.charCodeAt(0));
  state.names = c.names;
  placeCora();
  recolor();
  say("Cora, by its smoothed features. The program is loading …");
  performance.mark("agekit-first-picture");
}

function placeCora() {
  const grid = numbers16(AGEKIT.cora.places);
  dots.raw = Float32Array.from(grid, (v) => (v / 65535 - 0.5) * 80); // as wide as t-SNE makes a map
  dots.place(dots.raw, 0);
}

async function open(name, source) {
  if (!agekit) return;
  await pause();
  state.name = "";
  say("Opening …");
  const sources = {
    cora: { Dataset: "cora" }, corner: { Dataset: "cora", Nodes: AGEKIT.corner.nodes },
    planted: { Dataset: "planted:n=600,classes=4,degree=6,f=300,words=15,topic=0.35,seed=1" }, karate: { Files: [{ Path: "/dropped/karate.graphml", Role: "" }], Label: "club" },
  };
  if (name === "karate") agekit.files([{ path: "/dropped/karate.graphml", bytes: new TextEncoder().encode(AGEKIT.karate.file) }]);
  try {
    const o = await agekit.call("open", source || sources[name]);
    state.opened = o; state.name = name; state.labels = o.Labeled ? o.numbers.labels : null; state.names = o.ClassNames;
    dots.lines = []; dots.radius = 0;
    if (o.Nodes <= 700) dots.lines.push({ ends: o.numbers.ends, color: () => css("--line"), alpha: 1, width: 1 });
    dots.numbers = o.NodeNames && o.Nodes <= 40 ? o.NodeNames.map((name) => short(name, 12)) : null;
    dots.tell = (i) => [o.NodeNames ? short(o.NodeNames[i]) : "node " + i, state.labels && o.ClassNames && short(o.ClassNames[state.labels[i]] || "unknown"), state.clusters && "cluster " + state.clusters[i]].filter(Boolean).join(", ");
    set.clusters.value = o.Clusters;
    defaults();
    if (name !== "cora") { dots.toX = null; dots.raw = undefined; dots.draw(); }
    return await begin();
  } catch (e) { say(e.message); }
}

async function begin() {
  await pause();
  state.busy = true; buttons();
  say("Smoothing the features and selecting the first pairs …");
  try {
    state.asked = settings();
    const e = await agekit.call("train.start", state.asked);
    if (state.name === "cora") placeCora();
    Object.assign(state, { history: [], scores: [], clusters: null, changed: false, epoch: 0, done: false });
    heard(e);
    const o = state.opened;
    say(`${short(o.Name)}: ${plural(o.Nodes, "node")}, ${plural(o.Edges, "edge")}, ${plural(o.Features, "feature")}. ${e.K ? `k = ${digits(e.K)}, λmax = ${digits(e.LambdaMax)}. ` : ""}Ready to train.`);
  } catch (e) { say(e.message); state.done = true; }
  state.busy = false; buttons();
}

function heard(e) {
  state.epoch = e.Epoch; state.epochs = e.Epochs; state.done = e.Done; state.earliest = e.Earliest;
  if (e.Loss !== null && e.Loss !== undefined) state.history[e.Epoch] = { loss: e.Loss, seconds: e.Seconds, updated: !!e.Learned };
  if (e.Learned) state.scores[e.Epoch] = e.Learned;
  if (e.Selected) state.selected = { ...e.Selected, ...e.numbers };
  if (e.numbers.clusters) state.clusters = e.numbers.clusters;
  if (e.numbers.rows) renew(e.numbers.rows);
  recolor();
  draw();
}

// renew asks the second worker for the map of an embedding.
const renew = newest(async (rows) => {
  const opened = state.opened;
  if (!opened) return; // another graph is being opened
  const n = opened.Nodes, dims = rows.length / n;
  if (state.name === "cora" && state.epoch === 0) return; // until it is trained, Cora has the map of its smoothed features
  mapper = mapper || new Agekit(agekit);
  const places = dots.toX && dots.toX.length === n ? dots.raw : undefined;
  const m = await mapper.call("map", { Dims: dims, Sample: n > 1000 ? 800 : 0, Iterations: places ? 60 : n > 1000 ? 250 : 400 }, places ? { rows, places } : { rows });
  if (opened !== state.opened) return;
  dots.raw = m.numbers.places;
  dots.place(m.numbers.places, 900);
});

function recolor() {
  const by = coloring.value === "clusters" ? state.clusters : state.labels, n = dots.toX ? dots.toX.length : 0;
  dots.color = by ? Array.from(by, (c) => c < 0 ? undefined : colorOf(c)) : [];
  const s = state.selected;
  const edges = dots.lines.filter((l) => !l.pairs);
  dots.lines = edges;
  if (s) dots.lines.push({ pairs: true, ends: s.negatives, color: () => dark.matches ? "#ff9a52" : "#d55e00", alpha: 0.35, dashes: [4, 3], hidden: !$("showneg").checked },
    { pairs: true, ends: s.positives, color: () => dark.matches ? "#6fc3f2" : "#0072b2", alpha: 0.6, hidden: !$("showpos").checked });
  const groups = by ? Math.max(...by) + 1 : 0, names = coloring.value === "clusters" || !state.names ? null : state.names;
  $("legend").replaceChildren(el("ul", { class: "legend" }, ...Array.from({ length: Math.min(groups, 20) }, (_, c) => {
    const swatch = el("svg", { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" });
    swatch.append(el("circle", { cx: 6, cy: 6, r: 5.5, fill: colorOf(c) }));
    return el("li", {}, swatch, names ? short(names[c]) : (coloring.value === "clusters" ? "cluster " : "class ") + c);
  })));
  if (n) dots.draw();
  $("savecsv").disabled = !state.clusters;
}

// The clusters of the chosen epoch as a table, in the form of nodes.csv of agekit fit.
$("savecsv").addEventListener("click", async () => {
  try {
    const placed = dots.raw && dots.raw.length === 2 * state.opened.Nodes;
    const { Text } = await agekit.call("train.table", {}, placed ? { places: Float32Array.from(dots.raw) } : {});
    const url = URL.createObjectURL(new Blob([Text], { type: "text/csv" }));
    el("a", { href: url, download: "clusters.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  } catch (e) { say(e.message); }
});

function draw() {
  const done = state.history.filter(Boolean).length, epochs = state.history.map((_, i) => i).filter((i) => state.history[i]);
  const losses = epochs.map((i) => state.history[i].loss), high = Math.max(0.1, ...losses.filter(Number.isFinite));
  chart($("loss"), { title: "Loss by epoch", label: done ? `Loss by epoch: ${digits(losses[0])} at first, ${digits(losses[losses.length - 1])} after epoch ${state.epoch}` : "Loss by epoch, empty before training", height: 165,
    x: { low: 0, high: state.epochs, label: "epoch" }, y: { low: 0, high: high * 1.05, label: "mean cross entropy per pair (nats)" },
    series: [{ x: epochs, y: losses, color: colorOf(0), dots: done < 60 ? 2 : 0 }] });
  const s = state.selected;
  if (s) {
    const total = s.Histogram.reduce((a, b) => a + b, 0), bins = s.Histogram.map((c) => c / total), middle = (i) => (i + 0.5) / bins.length;
    chart($("similar"), { title: "Similarities", height: 165, label: `Similarities of all pairs: positive from ${digits(s.PosThreshold)}, negative up to ${digits(s.NegThreshold)}`,
      x: { low: 0, high: 1, label: "similarity (cosine)" }, y: { low: 0, high: Math.max(...bins) * 1.15, label: "share of all pairs", format: (v) => percent(v, v && v < 0.01 ? 1 : 0) },
      series: [{ name: `negative: ${percent(1 - s.NegShare)}`, bars: true, y: bins, colors: bins.map((_, i) => middle(i) <= s.NegThreshold ? colorOf(1) : middle(i) >= s.PosThreshold ? colorOf(0) : css("--muted")), color: colorOf(1) },
        { name: "unused", bars: true, y: [], color: css("--muted") }, { name: `positive: ${percent(s.PosShare, 2)}`, bars: true, y: [], color: colorOf(0) }],
      marks: [{ x: s.NegThreshold, text: `negative up to ${digits(s.NegThreshold)}` }, { x: s.PosThreshold, text: `positive from ${digits(s.PosThreshold)}` }] });
    if (s.PosSame !== null) $("similar").append(el("p", { class: "small" }, `Same class: ${percent(s.PosSame)} of the positive pairs shown, ${percent(s.NegSame)} of the negative ones.`));
  }
  const saved = state.scores.map((_, i) => i).filter((i) => state.scores[i]), last = state.scores[saved[saved.length - 1]];
  const lines = [["ACC", 0], ["NMI", 1], ["ARI", 2]].filter(([name]) => !last || last[name] !== null).map(([name, c]) => ({ name: last ? `${name} ${digits(last[name])}` : name, x: saved, y: saved.map((i) => state.scores[i][name]), color: colorOf(c), dots: 3, dashes: ["", "7 3", "2 3"][c] }));
  if (last && last.ACC === null) lines.push({ name: `modularity ${digits(last.Modularity)}`, x: saved, y: saved.map((i) => state.scores[i].Modularity), color: colorOf(3), dots: 3 });
  chart($("scores"), { title: "Scores", height: 165, label: last ? `Scores after epoch ${state.epoch}: ` + lines.map((l) => l.name).join(", ") : "Scores, empty before the first selection",
    x: { low: 0, high: state.epochs, label: "epoch" }, y: { low: 0, high: 1, label: "score" }, series: lines });
}

function buttons() {
  $("play").textContent = state.running ? "Pause" : state.epoch && !state.done ? "Go on" : "Train";
  $("play").disabled = !agekit || !state.opened || state.done && !state.running || state.busy && !state.running;
  $("step").disabled = state.running || state.busy || !state.opened || state.done;
  $("back").disabled = state.busy || !state.opened || state.epoch <= (state.earliest || 0);
  $("again").disabled = state.busy && !state.running || !state.opened;
}

async function epoch() {
  state.busy = true;
  try {
    if (state.changed) { state.changed = false; heard(await agekit.call("train.back", { Epoch: state.epoch, Training: ongoing() })); }
    if (state.done) return;
    const e = await agekit.call("train.next");
    heard(e);
    const at = state.scores[e.Epoch], l = at ? ` Chosen: epoch ${at.Epoch}${at.ACC !== null ? `, ACC ${digits(at.ACC)}` : ""}.` : "";
    say(`Epoch ${e.Epoch} of ${e.Epochs}: loss ${digits(e.Loss)}, ${Math.round(1000 * e.Seconds)} ms${e.Learned ? ", with clustering and selection" : ""}.${l}`);
  } catch (e) { say(e.message + ". Go back, or start over."); state.running = false; state.done = true; }
  finally { state.busy = false; }
}

let stopped = Promise.resolve();
async function run() {
  if (state.running || state.done) return;
  state.running = true; buttons(); frames.start();
  const began = performance.now(), first = state.epoch;
  stopped = (async () => {
    while (state.running && !state.done) await epoch();
    state.running = false;
    const f = frames.stop(), plainEpochs = state.history.filter((h) => h && !h.updated).map((h) => 1000 * h.seconds);
    const mean = plainEpochs.length ? plainEpochs.reduce((a, b) => a + b) / plainEpochs.length : 0;
    $("frames").textContent = `${state.epoch - first} epochs in ${digits((performance.now() - began) / 1000, 1)} s.`;
    window.agekitMeasured = { seconds: (performance.now() - began) / 1000, epoch: mean, frames: f };
    buttons();
  })();
  return stopped;
}
async function pause() { state.running = false; await stopped; }

$("play").addEventListener("click", () => state.running ? pause() : run());
$("step").addEventListener("click", async () => { await epoch(); buttons(); });
$("back").addEventListener("click", async () => {
  await pause();
  const to = Math.max(state.earliest, state.epoch - 1);
  state.busy = true; buttons();
  try {
    const e = await agekit.call("train.back", { Epoch: to, Training: ongoing() });
    state.changed = false; state.history.length = to + 1; state.scores.length = to + 1; state.clusters = null;
    heard(e);
    say(`Back at epoch ${to}.`);
  } catch (e) { say(e.message); }
  state.busy = false; buttons();
});
$("again").addEventListener("click", begin);
for (const id of ["showpos", "showneg"]) $(id).addEventListener("change", recolor);

// Files of the reader's own.
let dropped = [];
const mostBytes = 64e6; // of a file: larger ones keep the page busy for minutes
async function take(list) {
  const large = [...list].find((f) => f.size > mostBytes);
  if (large) return say(`${short(large.name)} has ${Math.round(large.size / 1e6)} MB: want at most ${mostBytes / 1e6} in a browser; the program has no such limit.`);
  dropped = await Promise.all([...list].map(async (f) => ({ path: "/dropped/" + f.name, role: "", bytes: new Uint8Array(await f.arrayBuffer()) })));
  if (!chooser.querySelector("[value=own]")) chooser.append(el("option", { value: "own" }, "Your files"));
  chooser.value = "own";
  await openOwn("");
}
async function openOwn(label) {
  agekit.files(dropped);
  const source = { Files: dropped.map((f) => ({ Path: f.path, Role: f.role })), Label: label, Chosen: true };
  state.opened = null;
  await open("", source);
  const o = state.opened;
  $("files").replaceChildren(...dropped.map((f, i) => {
    const role = o ? o.Files[i].Role : f.role, id = "role" + i;
    const select = el("select", { id, onchange: (e) => { f.role = e.target.value; openOwn(""); } }, ...["graph", "nodes", "edges", "features", "labels"].map((r) => el("option", { value: r, selected: r === role }, r)));
    return el("li", {}, el("label", { for: id }, short(f.path.slice(9)) + " is the"), select);
  }));
  $("notes").replaceChildren();
  if (!o) return;
  if (o.Columns) choice($("notes"), { id: "labelcolumn", name: "Classes to score by", options: [["", "none"], ...o.Columns.map((c) => [c, short(c)])], at: o.LabelColumn || "" }, openOwn);
  $("notes").append(el("p", { class: "small" }, `The settings above are those that agekit fit --view age chooses for this graph: ${plural(o.Layers, "layer")}, ${whole(o.Epochs)} epochs, ${percent(o.PosStart, 1)} of all pairs positive at first. `
    + "It trains three times (once above 5,000 nodes), with 500 dimensions, and clusters the embeddings together; this page trains once, with 128. On the penguins of the examples both have ACC .968; with this page's settings for Cora it would be .797. Without --view, agekit fit compares other views of the graph, too."));
  const pairs = o.Nodes * (o.Nodes - 1) / 2;
  if (o.Edges > pairs / 2) $("notes").append(el("p", { class: "warn" }, `The edges join ${whole(o.Edges)} of ${whole(pairs)} pairs of nodes: when nearly all are neighbors, smoothing makes them all alike. Bring a table of edges, or more rows.`));
  for (const text of [...(o.Warnings || []).map((w) => "Note: " + w), ...(o.Notes || [])]) $("notes").append(el("p", { class: "small" }, short(text, 400)));
}
$("own").addEventListener("change", () => take($("own").files));
for (const [name, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
  document.addEventListener(name, (e) => { e.preventDefault(); $("drop").classList.toggle("over", over); if (name === "drop" && e.dataTransfer.files.length) take(e.dataTransfer.files); });
}

window.addEventListener("resize", draw);
firstPicture();
draw();
load().then(async (program) => { agekit = program; await agekit.ready; await open("cora"); });
