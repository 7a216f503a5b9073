  var n = data.Graph.X.length, all = n + data.Others.length, chosen = data.Start, stage0 = 0;
  var names = data.Graph.Names.concat(data.Others), pairs = data.N * data.N;
  var colors = { positive: "#0072b2", negative: "#d55e00", unused: "#c3c8d0" };
  var pos = data.Stages[0].Pos, neg = data.Stages[0].Neg;
  // Where the similarities of all pairs are nearly the same, ranks tell them apart.
  var byRank = data.Stages[0].PosThresholds[pos] - data.Stages[0].NegThresholds[neg] < 0.02;
  // A rank is stored as 1000·log10.
  function rank(j) { return data.Stages[stage0].R[chosen * all + j]; }
  function similarity(j) { return data.Stages[stage0].S[chosen * all + j] / 1000; }
  function code(share) { return 1000 * Math.log10(share * pairs) + 0.5; }
  function state(j) { return rank(j) <= code(data.PosShares[pos]) ? "positive" : rank(j) > code(data.NegShares[neg]) ? "negative" : "unused"; }
  function percent(share) { return +(100 * share).toPrecision(3) + " %"; }
  function count(v) { return Math.round(v).toLocaleString("en-US"); }

  var parts = ui.columns(stage, [400, 300]);
  var graph = ui.drawing(parts[0], 400, 330, data.Title);
  var drawn = ui.graph(graph, data.Graph, [0, 0, 400, 330], point, function (i) { chosen = i; draw(); });
  var strip = ui.drawing(parts[1], 300, 330, "The pairs of the chosen node, in the order of their similarity");
  var lanes = [[22, 122, "with the nodes of the drawing"], [168, 102, "with " + data.Others.length + " nodes from elsewhere"]];
  var left = 14, width = 272, moving;
  lanes.forEach(function (lane) { ui.svg(strip, "text", { x: left, y: lane[0] - 6 }, lane[2]); });

  var controls = ui.controls(stage);
  if (data.Stages.length > 1) ui.slider(controls, { name: "training", min: 0, max: data.Stages.length - 1, step: 1, value: 0, width: 120, format: function (v) { return data.Stages[v].Name; } }, function (v) {
    stage0 = v;
    setPos(data.Stages[v].Pos); // the thresholds follow the schedule
    setNeg(data.Stages[v].Neg);
  });
  var setPos = ui.slider(controls, { name: "r_pos", min: 0, max: data.PosShares.length - 1, step: 1, value: pos, width: 110, format: function (v) { return percent(data.PosShares[v]); } }, function (v) { pos = v; draw(); });
  var setNeg = ui.slider(controls, { name: "r_neg", min: 0, max: data.NegShares.length - 1, step: 1, value: neg, width: 110, format: function (v) { return percent(data.NegShares[v]); } }, function (v) { neg = v; draw(); });
  ui.choice(controls, { name: "axis", options: ["similarity", "rank"], value: +byRank }, function (i) { byRank = i === 1; draw(); });
  var key = ui.html(stage, "p", { style: "margin:6px 0 0" });
  ["positive", "unused", "negative"].forEach(function (name) {
    ui.html(key, "span", { style: "display:inline-block;width:11px;height:11px;border-radius:50%;margin:0 6px 0 0;background:" + colors[name] });
    ui.html(key, "span", { style: "margin-right:16px" }, name);
  });
  var text = ui.line(stage), score = ui.line(stage), pointed = ui.line(stage);
  pointed.textContent = "Click a node to see its pairs.";

  function point(j) {
    pointed.textContent = names[j] + (j === chosen ? ": the chosen node" : ": similarity " + similarity(j).toFixed(3) + ", rank about " + count(Math.pow(10, rank(j) / 1000)) + " of " + count(pairs) + ", " + state(j));
  }
  // The first ranks are those of the nodes with themselves, so the axis of ranks
  // begins after them.
  function atRank(code) { return left + width * Math.min(1, 2 - code / 1000 / Math.log10(data.N)); }
  function x(j) { return byRank ? atRank(rank(j)) : left + width * Math.max(0, similarity(j)); }
  function mark(at, label, y) {
    ui.svg(moving, "path", { d: "M" + at + " 18V146M" + at + " 168V" + (y - 12), stroke: "#222", "stroke-dasharray": "4 3" }); // not through a text
    ui.svg(moving, "text", { x: Math.max(30, Math.min(270, at)), y: y, "text-anchor": "middle" }, label);
  }
  function draw() {
    var now = data.Stages[stage0], counts = { positive: 0, negative: 0, unused: 0 };
    if (moving) moving.remove();
    moving = ui.svg(strip, "g", {});
    mark(byRank ? atRank(code(data.PosShares[pos])) : left + width * now.PosThresholds[pos], "r_pos", 302);
    mark(byRank ? atRank(code(data.NegShares[neg])) : left + width * now.NegThresholds[neg], "r_neg", 288);
    ui.svg(moving, "path", { d: "M" + left + " 310h" + width, stroke: "#222" });
    ui.svg(moving, "text", { x: left, y: 326 }, byRank ? count(pairs) : "0");
    ui.svg(moving, "text", { x: left + width / 2, y: 326, "text-anchor": "middle" }, byRank ? "rank (log scale)" : "similarity");
    ui.svg(moving, "text", { x: left + width, y: 326, "text-anchor": "end" }, byRank ? count(data.N) : "1");
    names.forEach(function (name, j) {
      if (j === chosen) return;
      var lane = lanes[j < n ? 0 : 1], kind = state(j);
      counts[kind]++;
      // Points of equal similarity would hide each other: spread them over the lane.
      var y = lane[0] + lane[1] * ((j * 0.618034) % 1);
      var mark = ui.svg(moving, "circle", { cx: x(j).toFixed(1), cy: (y + 4).toFixed(1), r: 4.4, fill: colors[kind], stroke: "#fff", "stroke-width": 0.7, "data-pair": j, "data-state": kind });
      ui.svg(mark, "title", {}, name);
      mark.addEventListener("pointerenter", function () { point(j); });
    });
    drawn.nodes.forEach(function (node, i) {
      node.setAttribute("fill", i === chosen ? "#000" : colors[state(i)]);
      node.setAttribute("r", i === chosen ? 10 : 7);
    });
    var positives = Math.round(data.PosShares[pos] * pairs);
    text.textContent = names[chosen] + ": " + counts.positive + " positive, " + counts.unused + " unused and " + counts.negative + " negative pairs here. In the whole graph: "
      + count(positives) + " positive and " + count((1 - data.NegShares[neg]) * pairs) + " negative pairs of " + count(pairs) + ", each in both orders.";
    score.textContent = !now.Same ? "" : "Score, with labels that the encoder never sees: " + (now.Same[pos] === null ? "no positive pair of two different nodes." : (100 * now.Same[pos]).toFixed(1) + " % of the positive pairs of two different nodes have the same class.");
  }
  draw();
