// What the pages share. None of them computes anything of the method: agekit does.
"use strict";

const $ = (id) => document.getElementById(id);
const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;

// el returns an element with attributes, listeners (on…) and children.
function el(tag, attributes = {}, ...children) {
  const e = ["svg", "path", "g", "text", "line", "rect", "circle"].includes(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) e.setAttribute(name, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

const digits = (v, n = 3) => v === null || v === undefined ? "–" : (Number(v.toFixed(n)) + 0).toFixed(n).replace("-", "−").replace(/^(−?)0\./, "$1.");
const whole = (v) => Math.round(v).toString().replace(/\B(?=(\d{3})+$)/g, ",");
const percent = (v, n = 0) => v === null || v === undefined ? "–" : (100 * v).toFixed(n) + " %";
const plural = (n, word) => `${whole(n)} ${word}${n === 1 ? "" : "s"}`;
const say = (text) => { $("status").textContent = short(text, 400); };
// short returns a text of the reader's data that neither fills the page nor, by marks of
// direction, turns what follows it around.
const short = (text, most = 60) => { const plain = text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ""); return plain.length > most ? plain.slice(0, most - 1) + "…" : plain; };

// inWords returns an error of the program in the words of these pages.
const inWords = (text) => text.replace(/no column becomes features, by which neighbors would compare the nodes/, "no column has numbers, categories or text by which rows could be compared: drop a table of edges, too, or other columns")
  .replace(/as a feature it would tell their order; .*$/, "as a feature it would tell their order. Leave it out, or call it id");

// Agekit is the program in a worker. Its calls are answered one after the other.
class Agekit {
  constructor(from) {
    this.waiting = new Map();
    this.last = 0;
    this.worker = new Worker(URL.createObjectURL(new Blob([AGEKIT.worker], { type: "text/javascript" })));
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }) => {
        if (data.ready) { this.program = data.ready; return resolve(); }
        if (data.failed) { say("agekit has stopped: " + data.failed); return reject(new Error(data.failed)); }
        const { resolve: done, reject: fail } = this.waiting.get(data.id);
        this.waiting.delete(data.id);
        data.error ? fail(new Error(inWords(data.error))) : done({ ...data.value, numbers: data.numbers });
      };
      this.worker.onerror = (e) => reject(new Error(e.message));
    });
    this.worker.postMessage({ program: from ? from.program : AGEKIT.program });
  }
  async call(name, args = {}, numbers = {}) {
    await this.ready;
    return new Promise((resolve, reject) => {
      this.waiting.set(++this.last, { resolve, reject });
      this.worker.postMessage({ id: this.last, name, args, numbers });
    });
  }
  files(list) { this.worker.postMessage({ files: list }); }
}

// Newest runs one call at a time and, of those asked for meanwhile, the last: for sliders.
function newest(run) {
  let busy = false, next = null;
  return async function ask(...args) {
    if (busy) { next = args; return; }
    busy = true;
    try { await run(...args); } catch (e) { say(e.message); }
    busy = false;
    if (next) { const a = next; next = null; ask(...a); }
  };
}

// numbers16 reads base64 of little-endian numbers of two bytes.
function numbers16(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Uint16Array(bytes.buffer);
}

function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
const dark = matchMedia("(prefers-color-scheme: dark)");
const colorOf = (i) => dark.matches && AGEKIT.dark[AGEKIT.colors[i % AGEKIT.colors.length]] || AGEKIT.colors[i % AGEKIT.colors.length];

// slider adds a labeled slider. value(v) turns its position into a number, text says it.
function slider(parent, { id, name, min, max, step, at, value = (v) => v, text = (v) => String(v), title }, change = () => {}) {
  const out = el("output", { for: id }), input = el("input", { type: "range", id, min, max, step });
  const show = () => { out.textContent = text(value(+input.value)); input.setAttribute("aria-valuetext", out.textContent); };
  input.value = at;
  input.addEventListener("input", () => { show(); change(value(+input.value)); });
  parent.append(el("div", { class: "field", title }, el("label", { for: id }, name), input, out));
  show();
  return { input, get: () => value(+input.value), set: (position) => { input.value = position; show(); } };
}

function choice(parent, { id, name, options, at }, change = () => {}) {
  const select = el("select", { id }, ...options.map(([value, text]) => el("option", { value }, text)));
  if (at !== undefined) select.value = at;
  select.addEventListener("change", () => change(select.value));
  parent.append(el("div", { class: "field" }, el("label", { for: id }, name), select));
  return select;
}

// ticks returns about count round numbers from low to high.
function ticks(low, high, count = 5) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= raw * 0.99), all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) all.push(+(i * step).toPrecision(12));
  return all;
}

// chart draws lines, bars and dots over axes: {title, x: {low, high, label, format, ticks},
// y: {…}, series: [{name, x, y, color, dashes, bars, dots}], marks: [{x, text, color}]}.
function chart(parent, c) {
  const width = Math.max(280, parent.clientWidth || 360), height = c.height || 190, left = 46, right = 18, top = 20, bottom = 40;
  const atX = (v) => left + (width - left - right) * (v - c.x.low) / (c.x.high - c.x.low || 1);
  const atY = (v) => height - bottom - (height - top - bottom) * (v - c.y.low) / (c.y.high - c.y.low || 1);
  const inside = (v) => Math.min(Math.max(atY(v), top - 6), height - bottom);
  const svg = el("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": c.label || c.title, class: "chart" });
  for (const v of c.y.ticks || ticks(c.y.low, c.y.high, 4)) {
    svg.append(el("line", { x1: left, x2: width - right, y1: atY(v), y2: atY(v), class: "grid" }), el("text", { x: left - 6, y: atY(v), dy: ".35em", "text-anchor": "end" }, c.y.format ? c.y.format(v) : String(v).replace("-", "−")));
  }
  for (const v of c.x.ticks || ticks(c.x.low, c.x.high, Math.min(8, width / 60))) {
    svg.append(el("line", { x1: atX(v), x2: atX(v), y1: height - bottom, y2: height - bottom + 4, class: "axis" }), el("text", { x: atX(v), y: height - bottom + 17, "text-anchor": "middle" }, c.x.format ? c.x.format(v) : String(v).replace("-", "−")));
  }
  svg.append(el("path", { d: `M${left} ${top - 4}V${height - bottom}H${width - right}`, class: "axis" }),
    el("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", class: "name" }, c.x.label),
    el("text", { x: 4, y: 12, class: "name" }, c.y.label));
  for (const s of c.series || []) {
    const color = s.color || "var(--ink)";
    if (s.bars) {
      const w = (atX(c.x.high) - atX(c.x.low)) / s.y.length;
      s.y.forEach((v, i) => { if (v > 0) svg.append(el("rect", { x: atX(c.x.low) + i * w, y: inside(v), width: Math.max(0.5, w - 1), height: Math.max(0, height - bottom - inside(v)), fill: (s.colors || [])[i] || color })); });
      continue;
    }
    let path = "", pen = "M";
    s.y.forEach((v, i) => {
      if (v === null || !Number.isFinite(v)) { pen = "M"; return; }
      path += pen + atX(s.x[i]).toFixed(1) + " " + inside(v).toFixed(1);
      pen = "L";
    });
    if (!s.only) svg.append(el("path", { d: path, fill: "none", stroke: color, "stroke-width": 2, "stroke-dasharray": s.dashes }));
    if (s.dots) s.y.forEach((v, i) => { if (v !== null) svg.append(el("circle", { cx: atX(s.x[i]), cy: inside(v), r: s.dots, fill: color })); });
  }
  let row = 0;
  for (const m of c.marks || []) {
    if (m.x < c.x.low || m.x > c.x.high) continue;
    const right = atX(m.x) > width * 0.6;
    svg.append(el("line", { x1: atX(m.x), x2: atX(m.x), y1: top - 4, y2: height - bottom, stroke: m.color || "var(--ink)", "stroke-width": 1.5, "stroke-dasharray": "4 3" }),
      el("text", { x: atX(m.x) + (right ? -4 : 4), y: top + 6 + 13 * (m.row ?? row++), "text-anchor": right ? "end" : "start", class: "mark" }, m.text));
  }
  parent.replaceChildren(svg, legend(c.series || []));
  return { atX, atY, svg, width, height };
}

function legend(series) {
  const named = series.filter((s) => s.name);
  if (named.length === 0) return "";
  return el("ul", { class: "legend" }, ...named.map((s) => {
    const swatch = el("svg", { viewBox: "0 0 22 10", width: 22, height: 10, "aria-hidden": "true" });
    swatch.append(s.only ? el("circle", { cx: 11, cy: 5, r: 4, fill: s.color }) : el("path", { d: "M0 5H22", stroke: s.color || "var(--ink)", "stroke-width": s.bars ? 9 : 2.5, "stroke-dasharray": s.dashes }));
    return el("li", {}, swatch, s.name);
  }));
}

// Dots is a map of nodes on a canvas, whose dots glide to new places.
class Dots {
  constructor(frame, label) {
    this.frame = frame;
    this.canvas = el("canvas", { role: "img", tabindex: 0, "aria-label": label });
    this.tip = el("p", { class: "tip", hidden: true });
    frame.replaceChildren(this.canvas, this.tip);
    this.x = this.y = this.fromX = this.fromY = this.toX = this.toY = null;
    this.color = []; this.lines = []; this.radius = 3; this.tell = null; this.marked = -1; this.chosen = -1;
    new ResizeObserver(() => this.draw()).observe(frame);
    dark.addEventListener("change", () => this.draw());
    this.canvas.addEventListener("pointermove", (e) => this.point(this.nearest(e.offsetX, e.offsetY)));
    this.canvas.addEventListener("pointerdown", (e) => { const i = this.nearest(e.offsetX, e.offsetY); this.point(i); this.pick(i); });
    this.canvas.addEventListener("pointerleave", () => this.point(-1));
    this.canvas.addEventListener("keydown", (e) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
      if (!this.toX) return;
      if (step) this.point((this.marked + step + this.toX.length) % this.toX.length);
      else if (e.key === "Enter") this.pick(this.marked);
      else if (e.key === "Escape") this.point(-1);
      else return;
      e.preventDefault();
    });
  }
  // place moves the dots: places has x and y of one node after the other, with equal scale.
  place(places, glide = 700) {
    const n = places.length / 2, x = new Float32Array(n), y = new Float32Array(n);
    let lowX = Infinity, highX = -Infinity, lowY = Infinity, highY = -Infinity;
    for (let i = 0; i < n; i++) { lowX = Math.min(lowX, places[2 * i]); highX = Math.max(highX, places[2 * i]); lowY = Math.min(lowY, places[2 * i + 1]); highY = Math.max(highY, places[2 * i + 1]); }
    const scale = Math.max(highX - lowX, highY - lowY) || 1;
    for (let i = 0; i < n; i++) { x[i] = 0.5 + (places[2 * i] - (lowX + highX) / 2) / scale; y[i] = 0.5 - (places[2 * i + 1] - (lowY + highY) / 2) / scale; }
    const moves = this.toX && this.toX.length === n && glide && !reduced;
    this.fromX = moves ? this.nowX : x; this.fromY = moves ? this.nowY : y;
    this.toX = x; this.toY = y; this.nowX = this.fromX.slice(); this.nowY = this.fromY.slice();
    this.began = performance.now(); this.glide = moves ? glide : 0;
    if (!this.moving) this.animate();
  }
  animate() {
    if (!this.toX) { this.moving = false; return; } // another graph was opened meanwhile
    const share = this.glide ? Math.min(1, (performance.now() - this.began) / this.glide) : 1, ease = share * share * (3 - 2 * share);
    for (let i = 0; i < this.toX.length; i++) {
      this.nowX[i] = this.fromX[i] + (this.toX[i] - this.fromX[i]) * ease;
      this.nowY[i] = this.fromY[i] + (this.toY[i] - this.fromY[i]) * ease;
    }
    this.draw();
    this.moving = share < 1;
    if (this.moving) requestAnimationFrame(() => this.animate());
  }
  at(i) { return [this.pad + this.nowX[i] * this.size + this.offX, this.pad + this.nowY[i] * this.size + this.offY]; }
  draw() {
    if (!this.toX || !this.frame.clientWidth) return;
    const ratio = Math.min(2, devicePixelRatio || 1), width = this.frame.clientWidth, height = this.frame.clientHeight;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) { this.canvas.width = Math.round(width * ratio); this.canvas.height = Math.round(height * ratio); }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.pad = 12;
    this.size = Math.min(width, height) - 2 * this.pad;
    this.offX = (width - 2 * this.pad - this.size) / 2; this.offY = (height - 2 * this.pad - this.size) / 2;
    for (const l of this.lines) {
      if (!l.ends || l.hidden) continue;
      pen.beginPath();
      for (let k = 0; k < l.ends.length; k += 2) { pen.moveTo(...this.at(l.ends[k])); pen.lineTo(...this.at(l.ends[k + 1])); }
      pen.strokeStyle = l.color(); pen.globalAlpha = l.alpha; pen.lineWidth = l.width || 1; pen.setLineDash(l.dashes || []); pen.stroke();
    }
    pen.globalAlpha = 1; pen.setLineDash([]);
    const groups = new Map(), n = this.toX.length, r = this.radius || (n > 1500 ? 2.4 : n > 300 ? 3.4 : 6);
    for (let i = 0; i < n; i++) { const c = this.color[i] ?? css("--muted"); if (!groups.has(c)) groups.set(c, []); groups.get(c).push(i); }
    for (const [color, nodes] of groups) {
      pen.beginPath();
      for (const i of nodes) { const [x, y] = this.at(i); pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 7); }
      pen.fillStyle = color; pen.fill();
      if (n <= 300) { pen.strokeStyle = css("--ink"); pen.lineWidth = 0.8; pen.stroke(); }
    }
    if (this.numbers) { pen.font = "11px system-ui, sans-serif"; pen.fillStyle = css("--ink"); pen.textAlign = "center"; for (let i = 0; i < n; i++) { const [x, y] = this.at(i); pen.fillText(this.numbers[i], x, y - r - 3); } }
    for (const i of [this.marked, this.chosen]) if (i >= 0 && i < n) { const [x, y] = this.at(i); pen.beginPath(); pen.arc(x, y, r + 4, 0, 7); pen.strokeStyle = css("--ink"); pen.lineWidth = i === this.chosen ? 3 : 2; pen.stroke(); }
  }
  nearest(x, y) {
    let best = -1, far = 14 * 14;
    if (!this.nowX || !this.size) return -1;
    for (let i = 0; i < this.nowX.length; i++) { const [a, b] = this.at(i), d = (a - x) ** 2 + (b - y) ** 2; if (d < far) { far = d; best = i; } }
    return best;
  }
  pick(i) {
    if (i < 0) return;
    this.chosen = i === this.chosen ? -1 : i;
    this.draw();
    if (this.choose) this.choose(i);
  }
  point(i) {
    if (i === this.marked) return;
    this.marked = i;
    this.tip.hidden = i < 0 || !this.tell;
    if (i >= 0 && this.tell) {
      this.tip.textContent = short(this.tell(i), 200);
      const [x, y] = this.at(i), right = x > this.frame.clientWidth / 2;
      this.tip.style.left = right ? "" : x + 12 + "px"; this.tip.style.right = right ? this.frame.clientWidth - x + 12 + "px" : "";
      this.tip.style.top = Math.max(4, Math.min(y - 14, this.frame.clientHeight - this.tip.offsetHeight - 4)) + "px";
    }
    this.draw();
    if (this.onpoint) this.onpoint(i);
  }
}

// signalColor goes from vermilion (−1) over gray to blue (1).
function signalColor(v) {
  const middle = dark.matches ? [70, 74, 80] : [238, 240, 243], to = v < 0 ? [213, 94, 0] : dark.matches ? [86, 180, 233] : [0, 114, 178], share = Math.min(1, Math.abs(v));
  return `rgb(${middle.map((m, i) => Math.round(m + (to[i] - m) * share)).join(",")})`;
}

// frames measures the times between the page's frames.
const frames = {
  times: [], running: false,
  start() { this.times = []; this.running = true; let last = 0; const step = (now) => { if (last) this.times.push(now - last); last = now; if (this.running) requestAnimationFrame(step); }; requestAnimationFrame(step); },
  stop() { this.running = false; const t = this.times.slice().sort((a, b) => a - b), at = (q) => t.length ? t[Math.min(t.length - 1, Math.floor(q * t.length))] : 0; return { count: t.length, median: at(0.5), high: at(0.95), longest: at(1) }; },
};

// load starts agekit once the page has its first picture. The program comes as a script,
// because pages opened from files may fetch nothing.
function load() {
  return new Promise((resolve, reject) => {
    requestAnimationFrame(() => setTimeout(() => {
      const script = el("script", { src: "program.js" });
      script.onload = () => resolve(new Agekit());
      script.onerror = () => { say("program.js is missing beside this page: copy the whole folder."); reject(new Error("program.js")); };
      document.head.append(script);
    }));
  });
}

// terms are those of the glossary: what a reader taps is explained below the page.
const terms = {
  "ACC": "Accuracy: each cluster gets one class, in the best one-to-one way; ACC is the share of nodes that then agree. One cluster for all nodes has the share of the largest class.",
  "NMI": "Normalized mutual information: how much you know about a node's class once you know its cluster, from 0 (nothing) to 1 (everything).",
  "ARI": "Adjusted Rand index: how often classes and clusters agree on \u201ctogether or apart\u201d for two nodes, beyond chance. 0 is chance, 1 is perfect.",
  "λmax": "The largest eigenvalue of the Laplacian L̃: how rough a signal on this graph can be. It is always below 2.",
  "Davies–Bouldin": "An index that needs no labels: how wide clusters are, compared with how far they are apart. Lower is better.",
  "Rayleigh quotient": "How much neighbors differ, as the sum over the edges of squared differences, divided by the squared length of the signal. 0 is the smoothest.",
  "homophily": "The share of edges that join nodes of the same group.",
  "t-SNE": "A map that keeps similar rows near each other. Distances between distant groups, and sizes of groups, mean nothing.",
  "nats": "A unit of information with the natural logarithm: log 2 = 0.69 nats are one bit.",
  "embedding": "The row of numbers that a method makes of each node.",
};

// glossary makes a button of the first place of each term in the page's own text.
function glossary() {
  const meaning = el("p", { id: "meaning", role: "status", hidden: true }), left = new Set(Object.keys(terms));
  const close = () => { meaning.hidden = true; for (const b of document.querySelectorAll(".term")) b.setAttribute("aria-expanded", "false"); };
  const show = (button, term) => {
    const again = button.getAttribute("aria-expanded") === "true";
    close();
    if (again) return;
    button.setAttribute("aria-expanded", "true");
    meaning.hidden = false;
    meaning.replaceChildren(el("strong", {}, term + ". "), terms[term]);
  };
  document.body.append(meaning);
  addEventListener("keydown", (e) => { if (e.key === "Escape") close(); });
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), texts = [];
  while (walk.nextNode()) if (!walk.currentNode.parentElement.closest("button, label, select, output, svg, summary, h1, h2, .status")) texts.push(walk.currentNode);
  for (let text of texts) {
    for (const term of [...left]) {
      const at = text.data.search(new RegExp(`(?<![\\p{L}\\p{N}])${term}(?![\\p{L}\\p{N}])`, "u"));
      if (at < 0) continue;
      left.delete(term);
      const rest = text.splitText(at), button = el("button", { class: "term", type: "button", "aria-expanded": "false", title: "What is this?" }, term);
      button.addEventListener("click", () => show(button, term));
      rest.data = rest.data.slice(term.length);
      rest.before(button);
      text = rest;
    }
  }
}
glossary();
