// The field: every method's embedding on one map, computed here and kept.
"use strict";

const methods = [["K-means", "clusters the words alone"], ["Spectral-F", "similarities of the words alone"], ["Spectral-G", "eigenvectors of the graph alone"], ["Leiden", "edges alone: groups with more edges inside than chance"],
  ["TADW", "random walks, factored with the words"], ["LS", "words averaged over neighbors"], ["SSGC", "words averaged over near and far neighbors"], ["AGC", "smooths until clusters stop tightening"], ["LS+RA", "smooths, then learns to predict edges"], ["AGE", "smooths, then learns from the most and least similar pairs"]];
const graphs = {
  planted: ["planted", { Homophily: 0.8, Topic: 0.25, Seed: 2 }], corner: ["open", { Dataset: "cora", Nodes: AGEKIT.corner.nodes }],
  mixed: ["planted", { Homophily: 0.4, Topic: 0.6, Seed: 3 }],
};
let agekit = null, mapper = null, opened = null, found = {}, current = null, touring = false;
const dots = new Dots($("map"), "Map of the nodes by the chosen method. Arrow keys go from node to node.");
const graph = choice($("choose"), { id: "graph", name: "Graph", options: [["planted", "Planted: most edges within groups"], ["mixed", "Planted: most edges between groups"], ["corner", "A corner of Cora: 60 papers"]] }, () => start());
const coloring = choice($("color"), { id: "coloring", name: "Colors", options: [["classes", "classes"], ["clusters", "clusters found"]] }, recolor);

async function start() {
  touring = false;
  const [call, args] = graphs[graph.value];
  opened = await agekit.call(call, args);
  found = {}; current = null; dots.toX = null; dots.raw = undefined; dots.marked = dots.chosen = -1;
  dots.lines = [{ ends: opened.numbers.ends, color: () => css("--line"), alpha: 0.8, width: 1 }];
  dots.tell = (i) => `${opened.NodeNames ? opened.NodeNames[i] : "node " + i}, ${opened.ClassNames[opened.numbers.labels[i]]}`;
  table();
  await show("K-means");
}

const show = newest(async (name) => {
  const of = opened;
  say(`Running ${name} …`);
  table(name);
  if (!found[name]) {
    const m = await agekit.call("method", { Method: name, Seed: 1 });
    if (of !== opened) return;
    found[name] = m;
    if (m.numbers.rows) {
      mapper = mapper || new Agekit(agekit);
      const y = await mapper.call("map", { Dims: m.Dims, Sample: 0, Iterations: dots.raw ? 150 : 300 }, dots.raw ? { rows: m.numbers.rows, places: dots.raw } : { rows: m.numbers.rows });
      if (of !== opened) return;
      m.places = y.numbers.places;
    }
  }
  const m = found[name];
  current = name;
  if (m.places) { dots.raw = m.places; dots.place(m.places, 1200); }
  recolor(); table();
  const about = methods.find(([n]) => n === name)[1];
  $("about").textContent = `${name}: ${about}.${m.places ? "" : " It has no embedding, so the dots stay where they are: look at its clusters."}`;
  say(`${name}: ACC ${digits(m.ACC)}, NMI ${digits(m.NMI)}. ${percent(m.HomophilyFound)} of the edges are within its clusters.`);
});

function recolor() {
  const by = coloring.value === "clusters" && current ? found[current].numbers.clusters : opened && opened.numbers.labels;
  if (!by || !dots.toX) return;
  dots.color = Array.from(by, (c) => colorOf(c));
  const groups = Math.max(...by) + 1;
  $("legend").replaceChildren(el("ul", { class: "legend" }, ...Array.from({ length: groups }, (_, c) => {
    const swatch = el("svg", { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" });
    swatch.append(el("circle", { cx: 6, cy: 6, r: 5.5, fill: colorOf(c) }));
    return el("li", {}, swatch, coloring.value === "clusters" ? "cluster " + c : opened.ClassNames[c]);
  })));
  dots.draw();
}

function table(running) {
  const yes = (v, m) => m ? (v ? "yes" : "–") : "";
  const focused = document.activeElement && document.activeElement.dataset.method;
  $("rows").replaceChildren(...methods.map(([name]) => {
    const m = found[name];
    return el("tr", {}, el("th", { scope: "row" }, el("button", { "data-method": name, "aria-pressed": String(name === (running || current)), onclick: () => { touring = false; show(name); } }, name)),
      ...(m ? [digits(m.ACC), digits(m.NMI)] : [running === name ? "…" : "", ""]).map((v) => el("td", { class: "n" }, v)),
      ...["Features", "Edges", "Trained"].map((what) => el("td", {}, m ? yes(m[what], m) : "")),
      el("td", { class: "n" }, m ? digits(m.Seconds, 1) : ""));
  }));
  if (focused) document.querySelector(`[data-method="${focused}"]`).focus();
}

$("tour").addEventListener("click", async () => {
  if (touring) { touring = false; return; }
  touring = true; $("tour").textContent = "Stop";
  for (const [name] of methods) {
    if (!touring) break;
    await show(name);
    await new Promise((done) => setTimeout(done, 1600));
  }
  touring = false; $("tour").textContent = "Show all in turn";
});

load().then(async (program) => { agekit = program; await agekit.ready; $("tour").disabled = false; await start(); });
