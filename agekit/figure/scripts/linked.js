  // One layer after the other on a small graph: the graph, the filter as a matrix, and the sums.
  if (!document.agekitLinked) { // a report's policy forbids new style elements
    document.agekitLinked = new CSSStyleSheet();
    document.agekitLinked.replaceSync(data.Style);
    document.adoptedStyleSheets = Array.from(document.adoptedStyleSheets).concat(document.agekitLinked);
  }
  ui.number = function (value, digits) { return Number.isInteger(value) ? String(value).replace("-", "−") : value.toFixed(digits).replace("-", "−"); };
  var controls = ui.controls(stage), view = null;
  if (data.Signals.length > 1) ui.choice(controls, { name: "signal", options: data.Signals.map(function (s) { return s.Name; }) }, function (i) { view.signal = i; show(); });
  ui.slider(controls, { name: "k", min: 0.05, max: 1.5, step: 0.001, value: data.K, format: function (v) { return v.toFixed(3); } }, function (v) { view.k = v; show(); });
  ui.slider(controls, { name: "layers t", min: 0, max: data.MostLayers, step: 1, value: data.Layers, width: 120 }, function (v) { view.layers = v; view.open = []; show(); });
  ui.html(stage, "p", { style: "margin:0 0 4px" }, "Point at a node, an entry or a term. Click a number to see what it is made of.");
  view = ui.linked(stage, data, function () {});
  var text = ui.line(stage);
  view.layers = data.Layers;
  function show() {
    view.draw();
    text.textContent = "Rayleigh quotient of x: " + view.read().quotient.toFixed(4) + " after " + view.layers + (view.layers === 1 ? " layer." : " layers.");
  }
  show();
