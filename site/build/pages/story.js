// Story: seven steps, one control each. The address holds the state, so that a link opens the
// same graph, layer and node.
"use strict";

const names = ["A graph", "Its words", "One layer", "Eight layers", "Pairs", "An epoch", "The map"];
const shows = ["degrees", "words", "filter", "filter", "pairs"];
const fresh = { step: 1, graph: "papers", node: 0, open: [], why: null, k: 2 / 3, t: 8, word: 0, share: 0.3, epochs: 0 };
const mostLayers = 20, mostEpochs = 40;
let state = { ...fresh }, view = null, viewed = "", written = null, timer = 0;

// The address. Numbers are written with three digits; what a link leaves out is as at first.
function toHash() {
  const parts = [];
  for (const [name, value] of Object.entries(state)) {
    if (JSON.stringify(value) === JSON.stringify(fresh[name])) continue;
    parts.push(`${name}=${Array.isArray(value) ? value.join(".") : typeof value === "number" ? +value.toFixed(3) : value}`);
  }
  return "#" + (parts.join("&") || "step=1");
}
// fromHash returns the state that a hash means. What is out of range is as at first.
function fromHash(hash) {
  const s = { ...fresh }, asked = new URLSearchParams(hash.slice(1));
  if (Object.hasOwn(AGEKIT.stories, asked.get("graph"))) s.graph = asked.get("graph");
  const n = AGEKIT.stories[s.graph].Short.length, words = AGEKIT.stories[s.graph].Signals.length;
  const number = (name, low, high, isWhole) => { const v = Number(asked.get(name)); if (asked.get(name) && v >= low && v <= high && (!isWhole || Number.isInteger(v))) s[name] = v; };
  number("step", 1, names.length, true); number("node", 0, n - 1, true); number("word", 0, words - 1, true); number("t", 0, mostLayers, true);
  number("k", 0, 1); number("share", 0.02, 1); number("epochs", 0, mostEpochs, true);
  const list = (name) => (asked.get(name) || "").split(".").filter(Boolean).map(Number);
  const all = list("open"), isNode = (i) => Number.isInteger(i) && i >= 0 && i < n;
  if (all.length < s.t && all.every(isNode)) s.open = all;
  const why = list("why");
  if (why.length === 2 && why[0] >= 0 && why[0] <= s.open.length && isNode(why[1])) s.why = why;
  return s;
}
// remember writes the state into the address: as a new entry of the history, or in place of
// the last one, such as while a slider moves.
function remember(isNew) {
  clearTimeout(timer);
  const write = () => {
    written = toHash();
    if (written === location.hash) return;
    if (isNew) location.hash = written; else location.replace(written);
  };
  if (isNew) write(); else timer = setTimeout(write, 200);
}
addEventListener("hashchange", () => { if (location.hash !== written) { written = location.hash; state = fromHash(location.hash); show(); } });

// The steps.
$("steps").append(...names.map((name, i) => el("li", {}, el("a", { href: `#step=${i + 1}`, "aria-label": `${i + 1} ${name}`, onclick: (e) => { e.preventDefault(); go(i + 1); } }, `${i + 1} `, el("span", {}, name)))));
$("previous").addEventListener("click", () => go(state.step - 1));
$("next").addEventListener("click", () => go(state.step + 1));
function go(step) {
  state = { ...state, step, open: [], why: null };
  remember(true);
  show();
  scrollTo(0, 0);
  $("step" + step).querySelector("h2").focus({ preventScroll: true });
}
const graph = choice($("choose"), { id: "graph", name: "Graph", options: Object.entries(AGEKIT.stories).sort(([a]) => a === fresh.graph ? -1 : 1).map(([name, s]) => [name, s.Title]) }, (name) => {
  state = { ...fresh, step: state.step, k: state.k, t: state.t, share: state.share, graph: name };
  remember(true);
  show();
});
$("copy").addEventListener("click", async () => {
  clearTimeout(timer);
  try { await navigator.clipboard.writeText(location.href.split("#")[0] + toHash()); say("The link is copied. It opens this graph, step, layer and node."); } catch { say("The link is in the address bar: " + toHash()); }
});

function show() {
  const data = AGEKIT.stories[state.graph], step = state.step, onCora = step > shows.length;
  graph.value = state.graph;
  [...$("steps").children].forEach((li, i) => { i + 1 === step ? li.firstChild.setAttribute("aria-current", "step") : li.firstChild.removeAttribute("aria-current"); $("step" + (i + 1)).classList.toggle("now", i + 1 === step); });
  $("previous").disabled = step === 1; $("next").hidden = step === names.length;
  if (step < names.length) $("next").textContent = "Next: " + names[step].toLowerCase();
  $("views").hidden = onCora; $("cora").hidden = !onCora; $("on").hidden = step < names.length; $("choose").hidden = onCora;
  $("control").replaceChildren();
  const moved = (name, act) => (v) => { state[name] = v; remember(false); act(); };
  if (step === 1) slider($("control"), { id: "move", name: "paper", min: 0, max: data.Short.length - 1, step: 1, at: state.node, text: (i) => data.Short[i] }, moved("node", redraw));
  if (step === 2) choice($("control"), { id: "move", name: "word", options: data.Signals.map((s, i) => [i, s.Name]), at: state.word }, (v) => moved("word", redraw)(+v));
  if (step === 3) slider($("control"), { id: "move", name: "k", min: 0, max: 1, step: 0.001, at: state.k, text: (v) => digits(v) }, moved("k", redraw));
  if (step === 4) slider($("control"), { id: "move", name: "layers t", min: 0, max: mostLayers, step: 1, at: state.t }, (v) => { state.open = []; state.why = null; moved("t", redraw)(v); });
  if (step === 5) slider($("control"), { id: "move", name: "positive", min: 0.02, max: 1, step: 0.001, at: state.share, text: (v) => percent(v) }, moved("share", redraw));
  if (step === 6) slider($("control"), { id: "move", name: "epochs", min: 0, max: 10, step: 1, at: Math.min(10, state.epochs) }, moved("epochs", () => reach()));
  if (step === 7) slider($("control"), { id: "move", name: "epochs", min: 0, max: mostEpochs, step: 10, at: state.epochs }, moved("epochs", () => reach()));
  if (step >= shows.length) prepare().catch((e) => say(e.message)); // the program loads while the reader is at the step before
  if (onCora && cora.doing) say(cora.doing);
  if (onCora) { if (step === 6) state.epochs = Math.min(10, state.epochs); else state.epochs = 10 * Math.round(state.epochs / 10); drawCora(); reach(); return; }
  if (viewed !== state.graph) {
    viewed = state.graph;
    $("views").replaceChildren();
    view = ui.linked($("views"), data, () => {
      const isSame = view.node === state.node;
      Object.assign(state, { node: view.node, open: view.open, why: view.why });
      if (!isSame && state.step === 1) { $("move").value = state.node; $("move").dispatchEvent(new Event("input")); }
      remember(true);
      tell();
    });
  }
  redraw();
}
function redraw() {
  Object.assign(view, { show: shows[state.step - 1], node: state.node, open: state.step === 4 ? state.open : [], why: state.why, k: state.k, layers: state.step === 3 ? 1 : state.t, signal: state.word, share: state.share });
  view.draw();
  tell();
}

// tell says in words what the control did.
function tell() {
  const data = AGEKIT.stories[state.graph], { Classes: topics, ClassNames: topicNames, Names } = data.Graph, word = data.Signals[state.word], n = data.Short.length;
  const name = data.Named ? `${data.Short[state.node]}, ${Names[state.node]},` : `${data.Short[state.node]}`, shown = view.read();
  if (state.step === 1) say(`${name} has ${plural(shown.values[state.node] - 1, "neighbor")}: d̃ = ${shown.values[state.node]}.`);
  if (state.step === 2) say(`“${word.Name}” is in ${word.X.filter(Boolean).length} of ${n} papers: ` + topicNames.map((t, c) => [t, word.X.filter((v, i) => v && topics[i] === c).length, topics.filter((v) => v === c).length]).filter(([, , all]) => all).map(([t, has, all]) => `${has} of ${all} on ${t}`).join(", ") + ".");
  if (state.step === 3 || state.step === 4) {
    const t = state.step === 3 ? 1 : state.t;
    say(`“${word.Name}”: the Rayleigh quotient, by which neighbors differ, goes from ${digits(shown.before)} to ${digits(shown.quotient)} in ${plural(t, "layer")}.` + (state.step === 3 && state.k === 0 ? " With k = 0, nobody listens." : ""));
  }
  if (state.step === 5) say(`${shown.pairs} of ${n * (n - 1) / 2} pairs are positive, from a similarity of ${digits(shown.least)} on; ${shown.same} of them have one topic.`);
}

// Cora: trained in the worker, epoch by epoch, and mapped in a second one.
const cora = { ready: null, doing: "", program: null, mapper: null, epoch: 0, losses: [], replies: [], maps: [], same: null };
const dots = new Dots($("map"), "Map of Cora's papers. Arrow keys go from paper to paper.");
function prepare() {
  const doing = (text) => { cora.doing = text; if (text && state.step > shows.length) say(text); };
  cora.ready ||= (async () => {
    doing("Loading agekit …");
    cora.program = await load();
    await cora.program.ready;
    await cora.program.call("open", { Dataset: "cora" });
    doing("Smoothing Cora's words and selecting pairs …");
    heard(await cora.program.call("train.start", { layers: 8, clusters: AGEKIT.cora.names.length, epochs: mostEpochs, learning_rate: 0.001, loss: "probability" }));
    doing("");
  })();
  return cora.ready;
}
function heard(e) {
  cora.epoch = e.Epoch;
  if (e.Loss !== null && e.Loss !== undefined) cora.losses[e.Epoch] = e.Loss;
  cora.replies[e.Epoch] = { ...cora.replies[e.Epoch], ...(e.Selected ? { selected: e.Selected, positives: e.numbers.positives } : {}), ...(e.Learned ? { learned: e.Learned } : {}), ...(e.numbers.rows ? { rows: e.numbers.rows } : {}) };
}
// last returns the newest entry of a name up to the epoch that is shown.
const last = (name) => { for (let e = cora.epoch; e >= 0; e--) if (cora.replies[e] && cora.replies[e][name]) return cora.replies[e][name]; return null; };
const reach = newest(async () => {
  await prepare();
  if (state.step <= shows.length) return;
  if (state.epochs < cora.epoch) heard(await cora.program.call("train.back", { Epoch: state.epochs }));
  while (cora.epoch < state.epochs) {
    heard(await cora.program.call("train.next"));
    if (state.step <= shows.length) return;
    drawCora();
    say(`Epoch ${cora.epoch} of ${state.epochs}: loss ${digits(cora.losses[cora.epoch])}.`);
  }
  drawCora();
  if (state.step === 7) await renew(cora.epoch);
  const selected = last("selected"), learned = last("learned");
  if (state.step === 6) say((cora.epoch ? `After ${plural(cora.epoch, "epoch")}, the loss is ${digits(cora.losses[cora.epoch])}.` : `Ready: ${whole(dots.toX.length)} papers, no epoch yet.`) + ` Of the positive pairs that are drawn, ${percent(selected.PosSame)} join papers of one topic.`);
  if (state.step === 7) say(`After ${plural(cora.epoch, "epoch")}: ` + (learned ? `the clusters agree with the topics in ${percent(learned.ACC)} of the papers.` : "smoothed words, nothing trained yet."));
});
// renew shows the map after an epoch. It starts from the map before, so that dots move little.
async function renew(epoch) {
  if (!cora.maps[epoch]) {
    const rows = (cora.replies[epoch] || {}).rows;
    if (!rows) return;
    say(`Epoch ${epoch}: drawing the map …`);
    cora.mapper ||= new Agekit(cora.program);
    const m = await cora.mapper.call("map", { Dims: rows.length / dots.toX.length, Sample: 800, Iterations: 60 }, { rows: rows.slice(), places: dots.raw });
    cora.maps[epoch] = m.numbers.places;
  }
  if (cora.epoch === epoch) { dots.raw = cora.maps[epoch]; dots.place(dots.raw, 900); }
}
function drawCora() {
  const labels = Array.from(atob(AGEKIT.cora.labels), (b) => b.charCodeAt(0));
  if (!dots.raw) {
    dots.raw = Float32Array.from(numbers16(AGEKIT.cora.places), (v) => (v / 65535 - 0.5) * 80);
    cora.maps[0] = dots.raw;
    dots.place(dots.raw, 0);
  }
  dots.color = labels.map((c) => colorOf(c));
  dots.tell = (i) => `paper ${i}, ${AGEKIT.cora.names[labels[i]]}`;
  dots.lines = state.step === 6 && last("positives") ? [{ ends: last("positives"), color: () => css("--ink"), alpha: 0.6 }] : [];
  dots.draw();
  $("legend").replaceChildren(legend(AGEKIT.cora.names.map((name, c) => ({ name, only: true, color: colorOf(c) }))));
  const epochs = cora.losses.map((_, e) => e).filter((e) => cora.losses[e] !== undefined && e <= cora.epoch), high = state.step === 6 ? 10 : mostEpochs;
  chart($("loss"), { title: "Loss", height: 240, label: epochs.length ? `Loss by epoch: ${digits(cora.losses[1])} in the first, ${digits(cora.losses[cora.epoch])} in epoch ${cora.epoch}` : "Loss by epoch, empty before training",
    x: { low: 0, high, label: "epoch" }, y: { low: 0, high: 1.05 * Math.max(0.1, ...cora.losses.filter(Number.isFinite)), label: "loss: mean cross entropy per pair (nats)" }, series: [{ x: epochs, y: epochs.map((e) => cora.losses[e]), color: colorOf(0), dots: 3 }] });
}

dark.addEventListener("change", show);
addEventListener("resize", () => { if (state.step > shows.length) drawCora(); });
state = fromHash(location.hash);
written = location.hash;
show();
performance.mark("agekit-first-picture");
