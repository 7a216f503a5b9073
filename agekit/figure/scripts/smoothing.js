  var graph = data.Graph, n = graph.X.length, most = data.MostLayers, own = data.Signals.length;
  var chosen = 0, k = data.K, t = data.Layers, now, parts, last = -1;
  var zero = new Array(n).fill(0), clicked = zero, laplacian = ui.times(data.Laplacian, 1);
  function product(x, y) { return x.reduce(function (sum, v, i) { return sum + v * y[i]; }, 0); }
  // What each edge contributes to the Rayleigh quotient: their sum is the quotient.
  function contributions(x) {
    var all = product(x, x), scale = data.Scale;
    return graph.Edges.map(function (e) { return Math.pow(scale[e[0]] * x[e[0]] - scale[e[1]] * x[e[1]], 2) / all; });
  }
  function quotient(x) { return product(x, laplacian(x)) / product(x, x); }

  parts = ui.columns(stage, [440, 250]);
  var svg = ui.drawing(parts[0], 440, 330, data.Title);
  var drawn = ui.graph(svg, graph, [0, 0, 440, 330], point, function (i) {
    var first = chosen !== own;
    clicked = (first ? zero : clicked).slice();
    clicked[i] = clicked[i] > 0 ? -1 : clicked[i] < 0 ? 0 : 1;
    if (first) choose(own); else draw();
    point(i);
  });
  var hints = drawn.edges.map(function (edge) { return ui.svg(edge, "title"); });
  var plain = data.Signals.some(function (s) { return !s.X; }); // the classes can be chosen
  var legend = ui.legend(parts[0], (plain && graph.ClassNames || []).map(function (name, c) { return graph.Classes.indexOf(c) < 0 ? null : name; }));
  var chart = ui.drawing(parts[1], 250, 330, "Rayleigh quotient after each layer");
  var at = ui.axes(chart, [52, 22, 184, 250], { low: 0, high: most, ticks: [0, most / 4, most / 2, 3 * most / 4, most], label: "layers t" },
    { low: 0, high: 1.5, ticks: [0, 0.5, 1, 1.5], label: "Rayleigh quotient" });
  var line = ui.svg(chart, "path", { fill: "none", stroke: "#0072b2", "stroke-width": 2.4, "data-part": "quotients" });
  var mark = ui.svg(chart, "circle", { r: 5, fill: "#d55e00" });

  var controls = ui.controls(parts[0]); // below the graph: on a phone, both are seen at once
  var names = data.Signals.map(function (s) { return s.Name; }).concat("your own: click nodes");
  var choose = ui.choice(controls, { name: "signal", options: names }, function (i) {
    if (i === own && chosen === own) clicked = zero;
    chosen = i;
    draw();
  });
  ui.button(controls, "clear clicks", function () { clicked = zero; choose(own); });
  function slide(set) { return function (v) { set(v); showSignal(); draw(); }; }
  ui.slider(controls, { name: "layers t", min: 0, max: most, step: 1, value: t, width: 140 }, slide(function (v) { t = v; }));
  var setK = ui.slider(controls, { name: "k", min: 0.05, max: 1.5, step: 0.001, value: k, width: 120, format: function (v) { return v.toFixed(3); } }, slide(function (v) { k = v; }));
  ui.button(controls, "k = 2/3", function () { setK(2 / 3); });
  ui.button(controls, "k = 1", function () { setK(1); });
  var text = ui.line(parts[0]), pointed = ui.line(parts[0]);
  pointed.textContent = "Blue is positive, orange negative; thick edges contribute most. Click a node for 1, again for −1, again for 0.";

  // showSignal replaces classes, which cannot be smoothed, by the first signal.
  function showSignal() {
    var first = data.Signals.findIndex(function (s) { return s.X; });
    if (chosen !== own && !data.Signals[chosen].X && first >= 0) choose(first);
  }
  function point(i) {
    last = i;
    pointed.textContent = (graph.Names ? graph.Names[i] : "node " + i) + (now ? ": " + now[i].toFixed(3) : "");
  }
  function showClasses() {
    now = null;
    drawn.nodes.forEach(function (node, i) { node.setAttribute("fill", ui.color(graph.Classes[i])); });
    drawn.edges.forEach(function (edge, i) { edge.setAttribute("stroke-width", 1.2); edge.setAttribute("stroke", "#b4b9c1"); hints[i].textContent = ""; });
    line.setAttribute("d", "");
    mark.setAttribute("visibility", "hidden");
    text.textContent = "The colors are classes. Choose a signal, move a slider or click a node.";
  }
  // draw shows the graph, and anew what was last pointed at: its value is another now.
  function draw() {
    drawSignal();
    if (last >= 0) point(last);
  }
  function drawSignal() {
    var signal = chosen === own ? clicked : data.Signals[chosen].X;
    legend.style.visibility = signal ? "hidden" : "visible"; // hidden keeps its height: nothing jumps
    if (!signal) { showClasses(); return; }
    var all = ui.layers(laplacian, signal, k, most), high = 0;
    now = all[t];
    now.forEach(function (v) { high = Math.max(high, Math.abs(v)); });
    drawn.nodes.forEach(function (node, i) { node.setAttribute("fill", ui.signal(high > 0 ? now[i] / high : 0)); node.setAttribute("data-value", now[i].toFixed(5)); });
    var shares = contributions(now), thick = Math.max.apply(null, shares);
    drawn.edges.forEach(function (edge, i) {
      edge.setAttribute("stroke-width", (thick > 0 ? 0.8 + 5.4 * shares[i] / thick : 0.8).toFixed(2));
      edge.setAttribute("stroke", "#8a919c");
      edge.setAttribute("data-share", (shares[i] || 0).toFixed(5));
      hints[i].textContent = "this edge contributes " + (shares[i] || 0).toFixed(4);
    });
    mark.setAttribute("visibility", high > 0 ? "visible" : "hidden");
    if (!(high > 0)) {
      line.setAttribute("d", "");
      text.textContent = "The signal is 0 everywhere. Click a node.";
      return;
    }
    var quotients = all.map(quotient);
    line.setAttribute("d", ui.path(at, quotients.map(function (_, i) { return i; }), quotients.map(function (v) { return Math.min(v, 1.6); })));
    mark.setAttribute("cx", at.x(t));
    mark.setAttribute("cy", at.y(Math.min(1.6, quotients[t])));
    text.textContent = (chosen === own ? "Your signal" : data.Signals[chosen].Name) + ": Rayleigh quotient " + quotients[0].toFixed(3) + " before, " + quotients[t].toFixed(3) + " after " + t + (t === 1 ? " layer" : " layers") +
      ", which keep " + percent(Math.sqrt(product(now, now) / product(signal, signal))) + " of its length.";
  }
  function percent(share) { return (100 * share).toFixed(share < 0.0995 ? 1 : 0) + "%"; }
  draw();
