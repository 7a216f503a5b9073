  // The filter H = I - k·L of the drawn graph alone, with self loops.
  var n = data.Graph.X.length, most = data.MostLayers, chosen = 0, k = data.K, t = data.Layers;
  var degree = new Array(n).fill(1), signal = data.Signals[0].X;
  data.Graph.Edges.forEach(function (e) { degree[e[0]]++; degree[e[1]]++; });
  function laplacian(x) {
    var y = x.map(function (v, i) { return v - v / degree[i]; });
    data.Graph.Edges.forEach(function (e) {
      var scale = 1 / Math.sqrt(degree[e[0]] * degree[e[1]]);
      y[e[0]] -= scale * x[e[1]];
      y[e[1]] -= scale * x[e[0]];
    });
    return y;
  }
  function dot(a, b) { return a.reduce(function (sum, v, i) { return sum + v * b[i]; }, 0); }
  function quotient(x) { return dot(x, laplacian(x)) / dot(x, x); }
  function layers(x) {
    var all = [x];
    for (var step = 0; step < most; step++) {
      var l = laplacian(x);
      x = x.map(function (v, i) { return v - k * l[i]; });
      all.push(x);
    }
    return all;
  }

  var parts = ui.columns(stage, [440, 250]);
  var svg = ui.drawing(parts[0], 440, 330, data.Title);
  var drawn = ui.graph(svg, data.Graph, [0, 0, 440, 330], point, function (i) {
    signal = data.Graph.X.map(function (_, j) { return i === j ? 1 : 0; });
    chosen = -1;
    choose.value = -1;
    draw();
    point(i);
  });
  var chart = ui.drawing(parts[1], 250, 330, "Rayleigh quotient after each layer");
  var at = ui.axes(chart, [52, 22, 184, 250], { low: 0, high: most, ticks: [0, 4, 8, 12], label: "layers t" },
    { low: 0, high: 1.5, ticks: [0, 0.5, 1, 1.5], label: "Rayleigh quotient" });
  var line = ui.svg(chart, "path", { fill: "none", stroke: "#0072b2", "stroke-width": 2.4, "data-part": "quotients" });
  var dot1 = ui.svg(chart, "circle", { r: 5, fill: "#d55e00" });

  var controls = ui.controls(stage);
  ui.choice(controls, { name: "signal", options: data.Signals.map(function (s) { return s.Name; }) }, function (i) {
    chosen = i;
    signal = data.Signals[i].X;
    draw();
  });
  var choose = controls.querySelector("select");
  ui.slider(controls, { name: "layers t", min: 0, max: most, step: 1, value: t, width: 150 }, function (v) { t = v; draw(); });
  var setK = ui.slider(controls, { name: "k", min: 0.05, max: 1.5, step: 0.001, value: k, width: 150, format: function (v) { return v.toFixed(3); } }, function (v) { k = v; draw(); });
  ui.button(controls, "k = 2/3", function () { setK(2 / 3); });
  ui.button(controls, "k = 1", function () { setK(1); });
  var text = ui.line(stage), pointed = ui.line(stage);
  pointed.textContent = "Click a node to start from it alone.";
  var now;
  function point(i) {
    pointed.textContent = data.Graph.Names[i] + ": " + now[i].toFixed(3);
  }
  function draw() {
    var all = layers(signal), high = 0;
    now = all[t];
    now.forEach(function (v) { high = Math.max(high, Math.abs(v)); });
    drawn.nodes.forEach(function (node, i) { node.setAttribute("fill", ui.signal(high > 0 ? now[i] / high : 0)); node.setAttribute("data-value", now[i].toFixed(5)); });
    var quotients = all.map(quotient);
    line.setAttribute("d", ui.path(at, quotients.map(function (_, i) { return i; }), quotients.map(function (v) { return Math.min(v, 1.6); })));
    dot1.setAttribute("cx", at.x(t));
    dot1.setAttribute("cy", at.y(Math.min(1.6, quotients[t])));
    text.textContent = (chosen < 0 ? "One node" : data.Signals[chosen].Name) + ": Rayleigh quotient " + quotients[0].toFixed(3) + " before, " + quotients[t].toFixed(3) + " after " + t + (t === 1 ? " layer" : " layers") + ". Blue is positive, orange negative, scaled to the largest value.";
  }
  draw();
