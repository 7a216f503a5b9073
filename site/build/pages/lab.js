// Homophily lab: agekit plants a graph and runs five methods on it whenever a slider rests.
"use strict";

const methods = [["K-means", "features alone (k-means)", "features", ""], ["Leiden", "edges alone (Leiden)", "edges", "2 3"], ["LS", "smoothing (LS)", "both", "7 3"], ["LS+RA", "LS+RA", "both, trained", "9 3 2 3"], ["AGE", "AGE", "both, trained", ""]];
const colorsOf = [4, 2, 5, 3, 0];
let agekit = null, mapper = null, sweeping = false;
const dots = new Dots($("map"), "Map of the planted graph. Arrow keys go from node to node.");
const edges = slider($("set1"), { id: "edges", name: "Edges within a group", min: 0, max: 100, step: 5, at: 80, value: (v) => v / 100, text: (v) => percent(v) }, () => ask());
const words = slider($("set1"), { id: "words", name: "Words about the group", min: 0, max: 100, step: 5, at: 20, value: (v) => v / 100, text: (v) => percent(v) }, () => ask());
const layers = slider($("set2"), { id: "layers", name: "Layers t", min: 0, max: 12, step: 1, at: 3, text: String }, () => ask());
const seed = slider($("set2"), { id: "seed", name: "Graph", min: 1, max: 10, step: 1, at: 1, text: (v) => "seed " + v }, () => ask());
const tried = new Map(); // by the settings without the edges: {edges: {method: ACC}}
let now = {};

const settings = () => [words.get(), layers.get(), seed.get()].join(" ");
const curve = () => { if (!tried.has(settings())) tried.set(settings(), new Map()); return tried.get(settings()); };

async function plant(share) {
  return agekit.call("planted", { Homophily: share, Topic: words.get(), Seed: seed.get() });
}

// measure runs the methods one after the other, so that the page shows each as it comes.
async function measure(share, still) {
  const of = settings(), at = curve(), g = await plant(share), found = {};
  for (const [name] of methods) {
    const m = await agekit.call("method", { Method: name, Layers: layers.get(), Dims: 32, Epochs: 60, Seed: 1 });
    found[name] = m;
    if (of !== settings() || !still()) return null;
    at.set(share, { ...at.get(share), [name]: m.ACC });
    if (name === "LS" && still() === "map") paint(g, m);
    now = found; draw(share);
  }
  return found;
}

const paint = newest(async (g, m) => {
  dots.color = Array.from(g.numbers.labels, colorOf);
  dots.lines = [{ ends: g.numbers.ends, color: () => css("--line"), alpha: 0.8, width: 1 }];
  dots.tell = (i) => `node ${i}, group ${g.numbers.labels[i]}`;
  dots.radius = 4;
  mapper = mapper || new Agekit(agekit);
  const y = await mapper.call("map", { Dims: m.Dims, Sample: 0, Iterations: dots.raw ? 100 : 300 }, dots.raw ? { rows: m.numbers.rows, places: dots.raw } : { rows: m.numbers.rows });
  dots.raw = y.numbers.places;
  dots.place(dots.raw);
});

let turn = 0;
const ask = newest(async () => {
  if (!agekit || sweeping) return;
  const mine = ++turn, share = edges.get();
  say("Planting a graph and looking for its groups …");
  const found = await measure(share, () => mine === turn && share === edges.get() ? "map" : null);
  if (!found) return;
  const best = methods.map(([name, text]) => [found[name].ACC, text]).sort((a, b) => b[0] - a[0]);
  $("winner").textContent = best[0][0] - best[1][0] < 0.02 ? `No clear winner: ${best[0][1]} ${digits(best[0][0])}, ${best[1][1]} ${digits(best[1][0])}.` : `${best[0][1]} wins: ACC ${digits(best[0][0])}, before ${best[1][1]}, ${digits(best[1][0])}.`;
  $("why").textContent = why(best[0][1], share, found);
  say(`${percent(share)} of the edges within groups, ${percent(words.get())} of the words about the group: done.`);
});

// why says in a sentence or two what the order of the methods comes from.
function why(best, share, found) {
  const because = {
    "features alone (k-means)": share < 0.5 ? "Why: most edges lead out of a group, so a mean over neighbors mixes groups. The words alone are not misled." : "Why: the words say so much that the edges add nothing but a few mistakes.",
    "edges alone (Leiden)": `Why: ${percent(share)} of the edges stay within a group, and only ${percent(words.get())} of the words are about it. Leiden trusts the edges alone, and is not misled by the other words.`,
    "smoothing (LS)": "Why: edges and words both tell something, and a mean over neighbors uses both. There is little left for training to correct.",
    "LS+RA": "Why: edges are good teachers here. LS+RA takes each edge as a pair of similar nodes, and most are.",
    "AGE": "Why: smoothing makes a good start, so the most similar pairs are right, and AGE learns from them.",
  }[best];
  const behind = found.LS.ACC - found.AGE.ACC;
  return because + (best !== "AGE" && behind > 0.02 ? ` AGE is ${digits(behind, 2)} below LS: where similar words mislead, it learns from wrong pairs, and pulls them closer together.` : "");
}

function draw(share) {
  const names = methods.filter(([name]) => now[name]);
  $("at").textContent = `With ${percent(share)} of the edges within groups`;
  const width = Math.max(280, $("bars").clientWidth), high = 30 * methods.length + 44, left = Math.min(175, width * 0.5), at = (v) => left + (width - left - 46) * v;
  const svg = el("svg", { viewBox: `0 0 ${width} ${high}`, role: "img", class: "chart", "aria-label": "Accuracy: " + names.map(([name, text]) => `${text} ${digits(now[name].ACC)}`).join(", ") });
  for (const v of [0, 0.25, 0.5, 0.75, 1]) svg.append(el("line", { x1: at(v), x2: at(v), y1: 4, y2: high - 40, class: "grid" }), el("text", { x: at(v), y: high - 24, "text-anchor": "middle" }, String(v)));
  svg.append(el("text", { x: at(0.5), y: high - 6, "text-anchor": "middle", class: "name" }, width < 480 ? "ACC" : "ACC (share of nodes in the right group)"));
  methods.forEach(([name, text], i) => {
    svg.append(el("text", { x: left - 8, y: 30 * i + 22, "text-anchor": "end" }, text));
    if (now[name]) svg.append(el("rect", { x: left, y: 30 * i + 8, width: at(now[name].ACC) - left, height: 20, fill: colorOf(colorsOf[i]) }), el("text", { x: at(now[name].ACC) + 5, y: 30 * i + 22 }, digits(now[name].ACC)));
  });
  const chance = names.length ? now[names[0][0]].Chance : 0;
  if (chance) svg.append(el("line", { x1: at(chance), x2: at(chance), y1: 4, y2: high - 40, stroke: "var(--ink)", "stroke-dasharray": "4 3" }));
  $("bars").replaceChildren(svg);
  const all = [...curve().entries()].sort((a, b) => a[0] - b[0]);
  chart($("curve"), { title: "Curves", height: 300, label: "Accuracy of each method against the share of edges within groups",
    x: { low: 0, high: 1, label: "share of edges within groups (homophily)", format: (v) => percent(v) }, y: { low: 0, high: 1, label: "ACC" },
    series: methods.map(([name, text, , dashes], i) => { const here = all.filter(([, v]) => v[name] !== undefined); return { name: text, x: here.map(([x]) => x), y: here.map(([, v]) => v[name]), color: colorOf(colorsOf[i]), dots: 3, dashes }; }),
    marks: [...AGEKIT.homophily.map(([name, x], i) => ({ x, text: name, row: 14 + i, color: "var(--muted)" })), { x: share, text: "now", row: 0 }] });
  $("rows").replaceChildren(...methods.map(([name, text, sees]) => el("tr", {}, el("th", { scope: "row" }, text), el("td", {}, sees), ...(now[name] ? [digits(now[name].ACC), digits(now[name].NMI), whole(1000 * now[name].Seconds)] : ["", "", ""]).map((v) => el("td", { class: "n" }, v)))));
}

$("sweep").addEventListener("click", async () => {
  if (sweeping) { sweeping = false; return; }
  sweeping = true; $("sweep").textContent = "Stop";
  try {
    for (let s = 0; s <= 10 && sweeping; s++) { say(`Sweeping: ${percent(s / 10)} of the edges within groups`); await measure(s / 10, () => sweeping); }
    
  } catch (e) { say(e.message); }
  sweeping = false; $("sweep").textContent = "Sweep the edges";
  ask();
});
$("clear").addEventListener("click", () => { tried.clear(); ask(); });
window.addEventListener("resize", () => draw(edges.get()));

draw(edges.get());
load().then(async (program) => { agekit = program; await agekit.ready; $("sweep").disabled = false; ask(); });
