  // Scores are cosines of the rows of HᵗX, with the filter of the drawn graph without one
  // edge. Cosines need only the products XXᵗ, n×n, of the features.
  var n = data.Graph.X.length, edges = data.Graph.Edges, t = data.Layers, chosen = 0, all;
  var linked = new Uint8Array(n * n);
  edges.forEach(function (e) { linked[e[0] * n + e[1]] = linked[e[1] * n + e[0]] = 1; });

  var identity = new Float64Array(n * n);
  for (var node = 0; node < n; node++) identity[node * n + node] = 1;

  // filter returns Hᵗ, n×n, of the graph without an edge, which changes entries of L̃sym.
  function filter(without) {
    var rows = data.Laplacian.map(function (row) { return row.slice(); });
    function set(i, j, value) {
      for (var p = 0; p < rows[i].length; p += 2) if (rows[i][p] === j) rows[i][p + 1] = value;
    }
    data.Without[without].forEach(function (c) { set(c[0], c[1], c[2]); set(c[1], c[0], c[2]); });
    return ui.layers(ui.times(rows, n), identity, data.K, t)[t];
  }
  // product returns ABᵗ.
  function product(a, b) {
    var p = new Float64Array(n * n);
    for (var i = 0; i < n; i++) for (var j = 0; j < n; j++) {
      var sum = 0;
      for (var c = 0; c < n; c++) sum += a[i * n + c] * b[j * n + c];
      p[i * n + j] = sum;
    }
    return p;
  }
  var products = Float64Array.from([].concat.apply([], data.Products));
  // remove takes an edge out. It returns the edge's score, the pairs that never had
  // an edge with theirs, and the share of them that the edge outranks.
  function remove(edge) {
    var h = filter(edge), g = product(product(h, products), h);
    function score(i, j) {
      var lengths = g[i * n + i] * g[j * n + j];
      return lengths > 0 ? g[i * n + j] / Math.sqrt(lengths) : 0;
    }
    var r = { score: score(edges[edge][0], edges[edge][1]), pairs: [], higher: 0, ties: 0 };
    for (var i = 0; i < n; i++) for (var j = i + 1; j < n; j++) {
      if (linked[i * n + j]) continue;
      var s = score(i, j), lead = s - r.score;
      r.pairs.push([s, i, j]);
      if (Math.abs(lead) < 1e-9) r.ties++; // equal but for rounding
      else if (lead > 0) r.higher++;
    }
    r.share = 1 - (r.higher + r.ties / 2) / r.pairs.length;
    return r;
  }

  var parts = ui.columns(stage, [440, 260]);
  var svg = ui.drawing(parts[0], 440, 370, data.Title);
  var drawn = ui.graph(svg, data.Graph, [0, 0, 440, 370], function (i) { pointed.textContent = data.Graph.Names[i]; });
  var layer = svg.querySelector("g"), above = ui.svg(svg, "g", { stroke: "#56b4e9", "stroke-width": 1.6 }), hits = ui.svg(svg, "g", {});
  svg.insertBefore(above, drawn.edges[0]);
  svg.insertBefore(hits, layer); // an edge is thinner than a finger
  edges.forEach(function (_, e) {
    var hit = hits.appendChild(drawn.edges[e].cloneNode());
    hit.setAttribute("stroke", "transparent");
    hit.setAttribute("stroke-width", 13);
    hit.setAttribute("style", "cursor:pointer");
    hit.setAttribute("data-edge", e);
    hit.addEventListener("click", function () { choose(e + 1); });
  });
  drawn.nodes.forEach(function (node, i) { node.setAttribute("fill", data.Graph.Classes ? ui.color(data.Graph.Classes[i]) : "#b4b9c1"); });

  var bins = 25, chart = ui.drawing(parts[1], 260, 200, "scores of the pairs without an edge");
  var bars = ui.svg(chart, "g", {}), mark = ui.svg(chart, "path", { stroke: "#222", "stroke-width": 2 });
  function percent(v) { return Math.round(100 * v) + " %"; }
  var atScore = ui.axes(chart, [14, 22, 226, 134], { low: 0, high: 1, ticks: [0, 0.5, 1], label: "score" }, { low: 0, high: 1, ticks: [], label: "" });
  ui.svg(chart, "text", { x: 14, y: 13 }, "pairs without an edge");
  var strip = ui.drawing(parts[1], 260, 200, "share of pairs ordered rightly, for each edge");
  var atShare = ui.axes(strip, [14, 22, 226, 134], { low: 0, high: 1, ticks: [0, 0.5, 1], label: "share of pairs that it outranks", format: percent }, { low: 0, high: 1, ticks: [], label: "" });
  var mean = ui.svg(strip, "path", { stroke: "#222", "stroke-width": 1.4, "stroke-dasharray": "5 3" });
  ui.svg(strip, "text", { x: 14, y: 13 }, "each edge, taken out in turn");
  var dots = edges.map(function (_, e) {
    var dot = ui.svg(strip, "circle", { "data-dot": e, style: "cursor:pointer" });
    dot.addEventListener("click", function () { choose(e + 1); });
    return dot;
  });

  if (data.Graph.ClassNames) ui.legend(parts[0], data.Graph.ClassNames);
  var controls = ui.controls(parts[0]);
  var choose = ui.slider(controls, { name: "edge", min: 1, max: edges.length, step: 1, value: 1, width: 170 }, function (v) { chosen = v - 1; show(); });
  ui.slider(controls, { name: "layers t", min: 0, max: data.MostLayers, step: 1, value: t, width: 130 }, function (v) { t = v; draw(); });
  var text = ui.line(parts[0]), auc = ui.line(parts[0]), pointed = ui.line(parts[0]);
  pointed.textContent = "Click an edge, or a dot, to take that edge out.";

  // draw takes every edge out in turn.
  function draw() {
    all = edges.map(function (_, e) { return remove(e); });
    var sum = 0, heights = {}, most = 1;
    var columns = all.map(function (r) {
      sum += r.share;
      var column = Math.round(40 * r.share);
      heights[column] = (heights[column] || 0) + 1;
      most = Math.max(most, heights[column]);
      return heights[column];
    });
    dots.forEach(function (dot, e) {
      dot.setAttribute("cx", atShare.x(all[e].share).toFixed(1));
      dot.setAttribute("cy", (152 - (columns[e] - 1) * Math.min(8, 124 / most)).toFixed(1));
      dot.setAttribute("data-value", all[e].share.toFixed(6));
    });
    var at = atShare.x(sum / edges.length).toFixed(1);
    mean.setAttribute("d", "M" + at + " 22V156");
    auc.textContent = "The mean over all " + edges.length + " edges is the AUC: " + (sum / edges.length).toFixed(3) + " with " + t + (t === 1 ? " layer." : " layers.");
    show();
  }
  // show shows what the chosen edge's rank is.
  function show() {
    var r = all[chosen], ends = edges[chosen], counts = new Array(bins).fill(0);
    drawn.edges.forEach(function (line, e) {
      line.setAttribute("stroke", e === chosen ? "#d55e00" : "#b4b9c1");
      line.setAttribute("stroke-width", e === chosen ? 3.5 : 1.2);
      line.setAttribute("stroke-dasharray", e === chosen ? "5 4" : "none");
    });
    drawn.nodes.forEach(function (node, i) { node.setAttribute("r", ends.indexOf(i) < 0 ? 6 : 9.5); });
    dots.forEach(function (dot, e) {
      dot.setAttribute("r", e === chosen ? 6 : 3.4);
      dot.setAttribute("fill", e === chosen ? "#d55e00" : "#8a919c");
    });
    strip.appendChild(dots[chosen]);
    above.replaceChildren();
    r.pairs.slice().sort(function (a, b) { return b[0] - a[0]; }).slice(0, Math.min(40, r.higher)).forEach(function (p) {
      var a = drawn.nodes[p[1]], b = drawn.nodes[p[2]];
      ui.svg(above, "line", { x1: a.getAttribute("cx"), y1: a.getAttribute("cy"), x2: b.getAttribute("cx"), y2: b.getAttribute("cy") });
    });
    function bin(score) { return Math.max(0, Math.min(bins - 1, Math.floor(bins * score))); }
    r.pairs.forEach(function (p) { counts[bin(p[0])]++; });
    var highest = Math.max.apply(null, counts);
    bars.replaceChildren();
    counts.forEach(function (count, b) {
      if (!count) return;
      var left = atScore.x(b / bins), high = Math.max(1.5, 134 * count / highest);
      ui.svg(bars, "rect", { x: left, y: 156 - high, width: 226 / bins - 1, height: high, fill: (b + 0.5) / bins > r.score ? "#56b4e9" : "#b4b9c1" });
    });
    var at = atScore.x(Math.max(0, Math.min(1, r.score))).toFixed(1);
    mark.setAttribute("d", "M" + at + " 22V156");
    mark.setAttribute("stroke", "#d55e00");
    text.textContent = "Taken out: " + data.Graph.Names[ends[0]] + " – " + data.Graph.Names[ends[1]] + ". Score " + r.score.toFixed(3) + ", rank " + (r.higher + 1) +
      " among " + (r.pairs.length + 1) + ": this edge and " + r.pairs.length + " pairs without an edge. Of these, " + r.higher + " score higher" + (r.ties ? ", " + r.ties + " the same" : "") +
      ". It outranks " + (100 * r.share).toFixed(1) + " % of them." + (r.higher ? " Blue lines: the highest of those above it." : "");
  }
  draw();
