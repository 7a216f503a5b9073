  // The eigenvectors come with the data; the script only chooses and scales them.
  var n = data.Values.length, chosen = data.Start, k = data.K, t = data.Layers, after = 0, high = 1.25;
  var grid = [];
  for (var s = 0; s <= 200; s++) grid.push(s / 100);

  var parts = ui.columns(stage, [380, 306]);
  var svg = ui.drawing(parts[0], 380, 310, data.Title);
  var drawn = ui.graph(svg, data.Graph, [0, 0, 380, 310], point);
  var chart = ui.drawing(parts[1], 320, 310, "Eigenvalues as stems, the filter's amplitude as a curve; arrow keys choose an eigenvalue");
  chart.setAttribute("tabindex", 0);
  chart.style.cursor = "pointer";
  chart.style.touchAction = "manipulation";
  var at = ui.axes(chart, [48, 12, 262, 250], { low: 0, high: 2, ticks: [0, 0.5, 1, 1.5, 2], label: "eigenvalue λ" },
    { low: 0, high: high, ticks: [0, 0.5, 1], label: "amplitude |1 − kλ|ᵗ" });
  var stems = data.Values.map(function (lambda, i) {
    var above = 0; // equal eigenvalues: their dots stand on each other
    for (var j = 0; j < i; j++) if (Math.abs(data.Values[j] - lambda) < 2e-6) above++;
    ui.svg(chart, "path", { d: "M" + at.x(lambda).toFixed(1) + " " + at.y(0) + "V" + at.y(1), stroke: "#cfd4da", "stroke-width": 1.4 });
    return {
      passed: ui.svg(chart, "path", { stroke: "#56b4e9", "stroke-width": 2.4, "data-part": "passed" }),
      dot: ui.svg(chart, "circle", { cx: at.x(lambda).toFixed(1), cy: (at.y(1) - Math.min(4 * above, 46)).toFixed(1), r: 2.6 })
    };
  });
  var mark = ui.svg(chart, "path", { stroke: "#d55e00", "stroke-width": 2 });
  var curve = ui.svg(chart, "path", { fill: "none", stroke: "#0072b2", "stroke-width": 2.2 });
  var spot = ui.svg(chart, "circle", { r: 5, fill: "#d55e00" });
  chart.addEventListener("click", function (event) {
    var box = chart.getBoundingClientRect(), x = (event.clientX - box.left) * 320 / box.width, nearest = 0;
    for (var i = 1; i < n; i++) if (Math.abs(at.x(data.Values[i]) - x) < Math.abs(at.x(data.Values[nearest]) - x)) nearest = i;
    // A second click on a multiple eigenvalue goes to its next eigenvector.
    var same = data.Values[chosen] === data.Values[nearest], next = chosen + 1;
    slide(1 + (!same ? nearest : next < n && data.Values[next] === data.Values[chosen] ? next : nearest));
  });
  chart.addEventListener("keydown", function (event) {
    var step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step) return;
    slide(1 + Math.max(0, Math.min(n - 1, chosen + step)));
    event.preventDefault();
    event.stopPropagation(); // Jupyter moves between cells with the same keys
  });

  var controls = ui.controls(stage);
  var slide = ui.slider(controls, { name: "eigenvector", min: 1, max: n, step: 1, value: chosen + 1 }, function (v) { chosen = v - 1; draw(); });
  ui.choice(controls, { name: "draw", options: ["the eigenvector", "what the filter leaves of it"] }, function (i) { after = i; draw(); });
  var setK = ui.slider(controls, { name: "k", min: 0.05, max: 1.5, step: 0.001, value: k, width: 130, format: function (v) { return v.toFixed(3); } }, function (v) { k = v; draw(); });
  ui.slider(controls, { name: "layers t", min: 1, max: data.MostLayers, step: 1, value: t, width: 110 }, function (v) { t = v; draw(); });
  ui.button(controls, "k = 1/λmax", function () {
    setK(1 / data.Values[n - 1]);
    k = 1 / data.Values[n - 1]; // the slider only has steps
    draw();
  });
  ui.button(controls, "k = 1", function () { setK(1); });
  var text = ui.line(stage), note = ui.line(stage), pointed = ui.line(stage), shown;
  pointed.textContent = "Click a stem, or use the arrow keys. Point at a node to see its value.";

  function point(i) {
    pointed.textContent = (data.Graph.Names ? data.Graph.Names[i] : "node " + i) + ": " + shown[i].toFixed(3);
  }
  function draw() {
    var lambda = data.Values[chosen], vector = data.Vectors[chosen], factors = ui.response(data.Values, k, t), factor = factors[chosen], largest = 0;
    vector.forEach(function (v) { largest = Math.max(largest, Math.abs(v)); });
    shown = vector.map(function (v) { return after ? factor * v : v; });
    drawn.nodes.forEach(function (node, i) {
      node.setAttribute("fill", ui.signal(shown[i] / largest)); // the scale of the eigenvector itself: what is filtered out fades
      node.setAttribute("data-value", shown[i].toFixed(5));
    });
    var flips = 0;
    drawn.edges.forEach(function (line, i) {
      var e = data.Graph.Edges[i], flip = vector[e[0]] * vector[e[1]] < 0;
      if (flip) flips++;
      line.setAttribute("stroke", flip ? "#222" : "#b4b9c1");
      line.setAttribute("stroke-width", flip ? 2.2 : 1.2);
    });
    stems.forEach(function (stem, i) {
      var x = at.x(data.Values[i]).toFixed(1);
      stem.passed.setAttribute("d", "M" + x + " " + at.y(0) + "V" + at.y(Math.min(1, Math.abs(factors[i]))).toFixed(1));
      stem.dot.setAttribute("fill", i === chosen ? "#d55e00" : "#8a9099");
    });
    curve.setAttribute("d", ui.path(at, grid, ui.response(grid, k, t).map(function (v) { return Math.min(high, Math.abs(v)); })));
    mark.setAttribute("d", "M" + at.x(lambda).toFixed(1) + " " + at.y(0) + "V" + at.y(1));
    spot.setAttribute("cx", at.x(lambda));
    spot.setAttribute("cy", at.y(Math.min(high, Math.abs(factor))));
    text.textContent = "Eigenvector " + (chosen + 1) + " of " + n + ": λ = " + lambda.toFixed(4) + ". " + flips + " of " + data.Graph.Edges.length +
      " edges (thick) join values of opposite sign. The filter multiplies it by (1 − kλ)ᵗ = " + factor.toFixed(4).replace("-", "−") + ".";
    note.textContent = data.Equal[chosen] === 1 ? "Blue is positive, orange negative." :
      "λ = " + lambda.toFixed(4) + " occurs " + data.Equal[chosen] + " times. Its eigenvectors are not unique: any mixture of them is one too, and this is only one choice.";
  }
  draw();
