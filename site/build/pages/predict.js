// Commit, then reveal: an answer is locked before agekit computes the truth.
"use strict";

const layersAsked = [0, 1, 2, 4, 8, 16];
const answers = { curve: null, share: null, method: null }, truths = { curve: null, share: null, method: null };
let agekit = null, classAnswers = [];
const planted = { Homophily: 0.8, Topic: 0.2, Seed: 4 }, fewEdges = { Homophily: 0.3, Topic: 0.45, Seed: 4 };
const picks = [["K-means", "features alone"], ["Leiden", "edges alone"], ["LS", "smoothing"], ["LS+RA", "LS+RA"], ["AGE", "AGE"]];

const sketch = layersAsked.map((t, i) => slider($("sketch"), { id: "t" + t, name: t === 1 ? "1 layer" : t + " layers", min: 0, max: 100, step: 1, at: 50, value: (v) => v / 100, text: (v) => digits(v, 2) }, drawCurve));
const lock1 = el("button", { class: "main", onclick: () => reveal("curve") }, "Commit the curve");
$("sketch").append(lock1);
const share = slider($("guess"), { id: "share", name: "Same group", min: 0, max: 100, step: 1, at: 50, value: (v) => v / 100, text: (v) => percent(v) });
const lock2 = el("button", { class: "main", onclick: () => reveal("share") }, "Commit the guess");
$("guess").append(lock2);
const pick = choice($("pick"), { id: "method", name: "Best", options: picks });
const lock3 = el("button", { class: "main", onclick: () => reveal("method") }, "Commit the choice");
$("pick").append(lock3);

function drawCurve() {
  const x = layersAsked.map((_, i) => i), series = [{ name: "your sketch", x, y: sketch.map((s) => s.get()), color: colorOf(1), dots: 3, dashes: "7 3" }];
  for (const a of classAnswers) if (a.curve) series.push({ x, y: a.curve, color: "var(--muted)" });
  if (truths.curve) series.push({ name: "computed", x, y: truths.curve, color: colorOf(0), dots: 4 });
  chart($("curve"), { title: "Sketch", height: 260, label: truths.curve ? "Computed accuracies: " + truths.curve.map((v, i) => `${layersAsked[i]} layers ${digits(v)}`).join(", ") : "Your sketch of the accuracy by layers",
    x: { low: 0, high: x.length - 1, label: "layers t", ticks: x, format: (i) => String(layersAsked[i]) }, y: { low: 0, high: 1, label: "ACC of LS" }, series });
}

// Each has the values, what chance would give, and why, which follows from the values.
const compute = {
  curve: () => agekit.call("predict", { Question: "curve", ...planted }),
  share: () => agekit.call("predict", { Question: "share", ...planted }),
  method: () => agekit.call("predict", { Question: "method", ...fewEdges }),
};

async function reveal(what) {
  if (answers[what] !== null) return;
  answers[what] = { curve: () => sketch.map((s) => s.get()), share: () => share.get(), method: () => pick.value }[what]();
  for (const s of { curve: sketch.map((s) => s.input), share: [share.input], method: [pick] }[what]) s.disabled = true;
  ({ curve: lock1, share: lock2, method: lock3 })[what].disabled = true;
  say("Committed. agekit computes …");
  let found;
  try { found = await compute[what](); } catch (e) { return say(e.message); }
  const v = found.Values;
  truths[what] = { curve: () => v, share: () => v[0], method: () => picks.map(([name, text], i) => [v[i], name, text]).sort((a, b) => b[0] - a[0]) }[what]();
  if (what === "curve") {
    const off = answers.curve.reduce((sum, v, i) => sum + Math.abs(v - truths.curve[i]), 0) / layersAsked.length, best = truths.curve.indexOf(Math.max(...truths.curve));
    $("said1").textContent = `Your sketch is off by ${digits(off, 2)} on average. The accuracy is highest with ${plural(layersAsked[best], "layer")}: ${digits(truths.curve[best])}; without smoothing ${digits(truths.curve[0])}, with 16 layers ${digits(truths.curve[5])}; random clusters, matched to the groups, have ${digits(found.Chance)}. Why: ${found.Why}`;
  }
  if (what === "share") $("said2").textContent = `You said ${percent(answers.share)}; of the pairs that were looked at (150 of the selected, less those of a node with itself), it is ${percent(truths.share)}; of all pairs, ${percent(found.Chance)}, and without smoothing it would be ${percent(v[1])}. Why: ${found.Why}`;
  if (what === "method") $("said3").textContent = (truths.method[0][1] === answers.method ? "Right. " : "Not this time. ") + truths.method.map(([acc, , text]) => `${text} ${digits(acc)}`).join(", ") + `. Why: ${found.Why}`;
  say("Revealed.");
  drawCurve(); histograms();
  $("save").disabled = false;
}

$("save").addEventListener("click", () => {
  const file = { agekit: "answers 1", name: $("name").value, ...answers, truths: { share: truths.share, method: truths.method && truths.method[0][1] } };
  const url = URL.createObjectURL(new Blob([JSON.stringify(file)], { type: "application/json" }));
  const a = el("a", { href: url, download: `answers-${($("name").value || "anonymous").replace(/[^\p{L}\p{N}]+/gu, "-")}.json` });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
});

// read takes an answer file as the page saves it, and refuses anything else.
function read(name, text) {
  let a;
  try { a = JSON.parse(text); } catch { throw new Error(`${name}: want a file that this page saved`); }
  const inside = (v) => typeof v === "number" && v >= 0 && v <= 1;
  if (!a || a.agekit !== "answers 1" || a.curve !== null && !(Array.isArray(a.curve) && a.curve.length === layersAsked.length && a.curve.every(inside)) ||
    a.share !== null && !inside(a.share) || a.method !== null && !picks.some(([m]) => m === a.method)) throw new Error(`${name}: want a file that this page saved`);
  return a;
}

$("load").addEventListener("change", async () => {
  const wrong = [];
  classAnswers = [];
  for (const f of $("load").files) { try { classAnswers.push(read(f.name, await f.text())); } catch (e) { wrong.push(e.message); } }
  say([`${plural(classAnswers.length, "answer file")} read.`, ...wrong].join(" "));
  drawCurve(); histograms();
});

function histograms() {
  if (!classAnswers.length) return;
  const parts = [el("div"), el("div")];
  $("histograms").replaceChildren(...parts);
  const shares = classAnswers.map((a) => a.share).filter((v) => v !== null), bins = Array(10).fill(0);
  for (const v of shares) bins[Math.min(9, Math.floor(10 * v))]++;
  chart(parts[0], { title: "Guesses", height: 200, label: `Guesses of question 2: ${bins.join(", ")} in bins of 10 %`, x: { low: 0, high: 1, label: "question 2: same group", format: (v) => percent(v) }, y: { low: 0, high: Math.max(1, ...bins) * 1.1, label: "answers", ticks: ticks(0, Math.max(1, ...bins), 3).filter(Number.isInteger) },
    series: [{ bars: true, y: bins, color: colorOf(1) }], marks: truths.share === null ? [] : [{ x: truths.share, text: "computed" }] });
  const counts = picks.map(([m]) => classAnswers.filter((a) => a.method === m).length);
  chart(parts[1], { title: "Choices", height: 200, label: "Choices of question 3: " + picks.map(([, text], i) => `${text} ${counts[i]}`).join(", "), x: { low: 0, high: picks.length, label: "question 3", ticks: picks.map((_, i) => i + 0.5), format: (v) => picks[Math.floor(v)][1].split(" ")[0] }, y: { low: 0, high: Math.max(1, ...counts) * 1.1, label: "answers", ticks: ticks(0, Math.max(1, ...counts), 3).filter(Number.isInteger) },
    series: [{ bars: true, y: counts, color: colorOf(0) }], marks: truths.method === null ? [] : [{ x: picks.findIndex(([m]) => m === truths.method[0][1]) + 0.5, text: "computed best" }] });
}

drawCurve();
window.addEventListener("resize", () => { drawCurve(); histograms(); });
for (const b of [lock1, lock2, lock3]) b.disabled = true;
load().then(async (program) => { agekit = program; await agekit.ready; for (const b of [lock1, lock2, lock3]) b.disabled = false; say("Answer, then commit."); });
