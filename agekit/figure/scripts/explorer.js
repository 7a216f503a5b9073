  var counts = data.Counts, bins = counts.length, k = data.K, t = data.Layers, top = 1.06; // room above the highest bar
  var highest = Math.max.apply(null, counts), total = counts.reduce(function (a, b) { return a + b; }, 0);
  var middles = counts.map(function (_, i) { return (2 * i + 1) / bins; }), grid = [];
  for (var s = 0; s <= 200; s++) grid.push(s / 100);
  function amplitudes(lambdas) { return ui.response(lambdas, k, t).map(Math.abs); }

  var parts = ui.columns(stage, [450, 220]);
  var svg = ui.drawing(parts[0], 440, 330, data.Title);
  var shade = ui.svg(svg, "rect", { y: 22, height: 240, fill: "#d55e00", "fill-opacity": 0.09 });
  var at = ui.axes(svg, [52, 22, 330, 240], { low: 0, high: 2, ticks: [0, 0.5, 1, 1.5, 2], label: "eigenvalue λ" },
    { low: 0, high: top * highest, ticks: data.Ticks, label: "number of eigenvalues" });
  function y(amplitude) { return at.y(highest * amplitude); }
  [0, 0.5, 1].forEach(function (v) {
    ui.svg(svg, "path", { d: "M382 " + y(v) + "h4", stroke: "#222" });
    ui.svg(svg, "text", { x: 390, y: y(v), dy: "0.35em" }, v);
  });
  ui.svg(svg, "text", { transform: "translate(430 142) rotate(-90)", "text-anchor": "middle" }, "amplitude |1 − kλ|ᵗ");
  var bars = counts.map(function (count, i) {
    var left = at.x(2 * i / bins), place = { x: left.toFixed(1), width: (0.9 * (at.x(2 / bins) - at.x(0))).toFixed(1) };
    ui.svg(svg, "rect", { x: place.x, width: place.width, y: at.y(count), height: at.y(0) - at.y(count), fill: "#cfd4da" });
    return ui.svg(svg, "rect", { x: place.x, width: place.width, fill: "#56b4e9" });
  });
  var inverse = ui.svg(svg, "path", { stroke: "#d55e00", "stroke-width": 1.2 });
  ui.svg(svg, "path", { d: "M" + at.x(data.LambdaMax) + " 22V262", stroke: "#222", "stroke-width": 1.4, "stroke-dasharray": "5 3" });
  ui.svg(svg, "text", { x: at.x(data.LambdaMax), y: 15, "text-anchor": "middle" }, "λmax");
  var curve = ui.svg(svg, "path", { fill: "none", stroke: "#0072b2", "stroke-width": 2.4, "data-part": "curve" });

  var controls = ui.controls(parts[1]);
  var setK = ui.slider(controls, { name: "k", min: data.SmallestK, max: data.LargestK, step: 0.001, value: k, width: 130, format: function (v) { return v.toFixed(3); } }, function (v) { k = v; draw(); });
  ui.slider(controls, { name: "t", min: 1, max: data.MostLayers, step: 1, value: t, width: 130 }, function (v) { t = v; draw(); });
  ui.button(controls, "k = 1/λmax", function () {
    setK(1 / data.LambdaMax);
    k = 1 / data.LambdaMax; // the slider only has steps
    draw();
  });
  ui.button(controls, "k = 1", function () { setK(1); });
  var above = ui.line(parts[1]), most = ui.line(parts[1]), sum = ui.line(parts[1]);

  function draw() {
    var beyond = 0, passed = 0, inside = amplitudes(middles);
    curve.setAttribute("d", ui.path(at, grid, amplitudes(grid).map(function (v) { return highest * Math.min(top, v); })));
    bars.forEach(function (bar, i) {
      var low = 2 * i / bins, high = low + 2 / bins, passes = counts[i] * Math.min(1, inside[i]);
      passed += passes;
      bar.setAttribute("y", at.y(passes).toFixed(1));
      bar.setAttribute("height", (at.y(0) - at.y(passes)).toFixed(1));
      bar.setAttribute("data-passes", passes.toFixed(3));
      if (low < data.LambdaMax) high = Math.min(high, data.LambdaMax); // no eigenvalue lies beyond
      beyond += counts[i] * Math.max(0, Math.min(1, (high - 1 / k) / (high - low)));
    });
    var x = at.x(Math.min(2, 1 / k));
    shade.setAttribute("x", x.toFixed(1));
    shade.setAttribute("width", (at.x(2) - x).toFixed(1));
    inverse.setAttribute("d", "M" + x.toFixed(1) + " 22V262");
    above.textContent = (100 * beyond / total).toFixed(1) + " % of the eigenvalues are at or above 1/k = " + (1 / k).toFixed(3) + " (shaded), where the filter is not low-pass.";
    most.textContent = "The amplitude at λmax = " + data.LambdaMax.toFixed(4) + " is " + amplitudes([data.LambdaMax])[0].toFixed(3) + ".";
    sum.textContent = "Light blue: what passes, " + (100 * passed / total).toFixed(1) + " % of all amplitudes.";
  }
  draw();
