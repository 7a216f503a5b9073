  // Two networks of t layers as chains of blocks, and what they score.
  var t = data.Layers, set = 0, most = data.Sets[0].Entangled.length;
  var rows = [
    { name: "GAE", key: "Entangled", color: "#0072b2" },
    { name: "LS+RA", key: "Separate", color: "#d55e00" }];
  // blocks returns a network from the features on: S is a filter, W are weights, φ
  // is the ReLU.
  function blocks(key) {
    var chain = [];
    for (var layer = 1; layer <= t; layer++) {
      chain.push("S");
      if (key === "Entangled") chain.push("W");
      if (key === "Entangled" && layer < t) chain.push("φ");
    }
    return key === "Entangled" ? chain : chain.concat(["W", "φ", "W"]);
  }
  function mean(values) { return values.reduce(function (sum, v) { return sum + v; }, 0) / values.length; }

  var parts = ui.columns(stage, [380, 320]);
  var chains = ui.drawing(parts[0], 380, 190, "the two networks as chains of filters and weights");
  var chart = ui.drawing(parts[1], 320, 290, "NMI over filter layers");
  var fills = { S: "#56b4e9", W: "#e69f00", "φ": "#b4b9c1" };
  var legend = ui.html(parts[0], "div", { style: "display:flex;flex-wrap:wrap;gap:2px 16px;margin:4px 0" });
  [["S", "filter"], ["W", "weight matrix"], ["φ", "ReLU"]].forEach(function (entry) {
    var item = ui.html(legend, "span", { style: "display:inline-flex;gap:6px;align-items:center" });
    ui.html(item, "span", { style: "width:11px;height:11px;background:" + fills[entry[0]] });
    ui.html(item, "span", {}, entry[0] + " " + entry[1]);
  });
  var controls = ui.controls(parts[0]);
  ui.choice(controls, { name: "data", options: data.Sets.map(function (s) { return s.Name; }) }, function (i) { set = i; draw(); });
  ui.slider(controls, { name: "layers t", min: 1, max: most, step: 1, value: t, width: 150 }, function (v) { t = v; draw(); });
  var texts = rows.map(function () { return ui.line(parts[0]); });

  function draw() {
    chains.replaceChildren();
    chart.replaceChildren();
    drawChart();
    rows.forEach(function (row, r) {
      var chain = blocks(row.key), values = data.Sets[set][row.key][t - 1];
      var top = 26 + 92 * r, step = Math.min(46, 330 / chain.length), matrices = chain.filter(function (b) { return b === "W"; }).length;
      ui.svg(chains, "text", { x: 2, y: top, "font-weight": "bold", fill: row.color }, row.name);
      ui.svg(chains, "text", { x: 2, y: top + 33 }, "X");
      chain.forEach(function (block, k) {
        var x = 20 + k * step;
        ui.svg(chains, "rect", { x: x, y: top + 10, width: step - 2, height: 36, rx: 3, fill: fills[block], "data-block": row.name + block });
        ui.svg(chains, "text", { x: x + step / 2 - 1, y: top + 33, "text-anchor": "middle", "font-size": Math.min(15, step) }, block);
      });
      ui.svg(chains, "text", { x: 24 + chain.length * step, y: top + 33 }, "Z");
      texts[r].textContent = row.name + ": " + matrices + (matrices === 1 ? " weight matrix, " : " weight matrices, ") + "mean NMI " + mean(values).toFixed(3) + " over " + values.length + " seeds.";
      texts[r].style.color = row.color;
    });
  }
  function drawChart() {
    var scores = data.Sets[set], ticks = [], layers = [];
    for (var layer = 1; layer <= most; layer++) layers.push(layer);
    for (var v = 0; v <= data.High + 1e-9; v += 0.1) ticks.push(v);
    var axes = ui.axes(chart, [52, 14, 256, 230], { low: 0.7, high: most + 0.3, ticks: layers, label: "filter layers t" },
      { low: 0, high: data.High, ticks: ticks, label: "NMI of " + scores.Name, format: function (value) { return value.toFixed(1); } });
    ui.svg(chart, "path", { d: "M" + axes.x(t) + " 14v230", stroke: "#222", "stroke-dasharray": "5 3" });
    rows.forEach(function (row, r) {
      ui.svg(chart, "path", { d: ui.path(axes, layers, scores[row.key].map(mean)), fill: "none", stroke: row.color, "stroke-width": 2.2 });
      scores[row.key].forEach(function (values, k) {
        values.forEach(function (value) {
          ui.svg(chart, "circle", { cx: axes.x(k + 1) + 5 * (2 * r - 1), cy: axes.y(value), r: 2.8, fill: row.color, "fill-opacity": 0.55 });
        });
      });
    });
  }
  draw();
