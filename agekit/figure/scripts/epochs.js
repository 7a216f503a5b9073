  var last = data.At[data.At.length - 1], epoch = data.At[0], n = data.N, timer = 0;
  var parts = ui.columns(stage, [420, 280]);
  data.Colorings.forEach(function (c) { c.Numbers = ui.numbers(c.Numbers, n); });
  var colors = data.Colorings[0], X = ui.numbers(data.X, n * data.At.length), Y = ui.numbers(data.Y, n * data.At.length);
  var points = { x: X.subarray(0, n), y: Y.subarray(0, n) };
  var redraw = ui.map(parts[0], points, {
    label: "map of the embedding", height: 620, radius: 2.2, within: { x: X, y: Y },
    color: function (i) { return ui.color(colors.Numbers[i % n]); },
    point: function (i) { if (i >= 0) pointed.textContent = colors.Name + ": " + colors.Labels[colors.Numbers[i]]; }
  });
  var charts = ui.drawing(parts[1], 280, 374, "Loss and Davies–Bouldin index by epoch");
  function log(v) { return Math.log10(Math.max(v, 1e-6)); }
  var low = Math.floor(Math.min.apply(null, data.Loss.map(log))), high = Math.ceil(Math.max.apply(null, data.Loss.map(log)));
  var powers = [];
  for (var p = low; p <= high; p++) powers.push(p);
  var most = Math.max.apply(null, data.Index), step = most > 4 ? 2 : most > 2 ? 1 : 0.5, ticks = [];
  for (var v = 0; v < most + step; v += step) ticks.push(v);
  var epochTicks = [0, Math.round(last / 2), last];
  var ofLoss = ui.axes(charts, [58, 8, 206, 140], { low: 0, high: last, ticks: epochTicks, label: "" },
    { low: low, high: high, ticks: powers, label: "loss (log scale)", format: function (v) { return v < 0 ? Math.pow(10, v).toFixed(-v) : Math.pow(10, v); } });
  var ofIndex = ui.axes(charts, [58, 192, 206, 140], { low: 0, high: last, ticks: epochTicks, label: "epoch" }, { low: 0, high: ticks[ticks.length - 1], ticks: ticks, label: "index" });
  var epochs = data.Loss.map(function (_, i) { return i + 1; });
  ui.svg(charts, "path", { d: ui.path(ofLoss, epochs, data.Loss.map(log)), fill: "none", stroke: "#0072b2", "stroke-width": 2 });
  ui.svg(charts, "path", { d: ui.path(ofIndex, data.Saved, data.Index), fill: "none", stroke: "#009e73", "stroke-width": 2 });
  var k0 = data.Saved.indexOf(data.Chosen);
  if (k0 >= 0) ui.svg(charts, "circle", { cx: ofIndex.x(data.Chosen), cy: ofIndex.y(data.Index[k0]), r: 5, fill: "none", stroke: "#222", "stroke-width": 1.6 });
  var lines = [[8, 148], [192, 332]].map(function (y) { return [ui.svg(charts, "path", { stroke: "#d55e00", "stroke-width": 2 }), y]; });

  var controls = ui.controls(stage);
  var move = ui.slider(controls, { name: "epoch", min: 0, max: last, step: 1, value: epoch, width: 220 }, function (v) { epoch = v; draw(); });
  var play = ui.button(controls, "play", function () {
    if (timer) { stop(); return; }
    if (epoch >= last) move(0);
    play.textContent = "stop";
    timer = setInterval(function () {
      if (!stage.isConnected || epoch >= last) stop();
      else move(Math.min(last, epoch + Math.max(1, Math.round(last / 200))));
    }, 50);
  });
  function stop() { clearInterval(timer); timer = 0; play.textContent = "play"; }
  ui.button(controls, "chosen epoch", function () { stop(); move(data.Chosen); });
  var legend;
  ui.choice(controls, { name: "color", options: data.Colorings.map(function (c) { return c.Name; }) }, function (i) { colors = data.Colorings[i]; draw(); });
  var under = ui.html(stage, "div"), text = ui.line(stage), pointed = ui.line(stage);
  pointed.textContent = "Between the saved epochs " + data.At.join(", ") + ", points move along straight lines.";

  function draw() {
    var k = 0;
    while (k < data.At.length - 2 && data.At[k + 1] <= epoch) k++;
    var next = Math.min(k + 1, data.At.length - 1), share = next === k ? 0 : (epoch - data.At[k]) / (data.At[next] - data.At[k]);
    function between(a) { return Array.from(a.subarray(k * n, (k + 1) * n), function (v, i) { return v + share * (a[next * n + i] - v); }); }
    points.x = between(X);
    points.y = between(Y);
    redraw();
    lines.forEach(function (l) { l[0].setAttribute("d", "M" + ofLoss.x(epoch).toFixed(1) + " " + l[1][0] + "V" + l[1][1]); });
    if (legend) legend.remove();
    legend = ui.legend(under, colors.Labels);
    var scored = -1;
    data.Saved.forEach(function (e, i) { if (e <= epoch) scored = i; });
    text.textContent = (epoch === 0 ? "Before training: a random encoder" : "Epoch " + epoch + ": loss " + data.Loss[epoch - 1].toFixed(4))
      + (scored < 0 ? "." : "; Davies–Bouldin index " + data.Index[scored].toFixed(3) + " after epoch " + data.Saved[scored] + (data.Saved[scored] === data.Chosen ? ", the lowest: this epoch is chosen." : "."));
  }
  draw();
  return redraw.resize;
