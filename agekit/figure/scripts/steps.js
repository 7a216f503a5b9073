  // The similarities of all pairs of nodes, one picture for each step.
  var at = 0, last = data.Steps.length - 1, size = Math.max(4, Math.floor(400 / data.Nodes)) * data.Nodes;
  var parts = ui.columns(stage, [420, 270]);
  var picture = ui.drawing(parts[0], size, size, "similarities of all pairs, and the positive pairs among them");
  var image = ui.svg(picture, "image", { x: 0, y: 0, width: size, height: size, style: "image-rendering:pixelated" });
  var controls = ui.controls(parts[1]); // beside the picture: both are on a laptop's screen
  ui.button(controls, "one step back", function () { move(Math.max(0, at - 1)); });
  ui.button(controls, "one step", function () { move(Math.min(last, at + 1)); });
  var move = ui.slider(controls, { name: "epoch", min: 0, max: last, step: 1, value: 0, width: 200, format: function (v) { return v + 1; } }, function (v) { at = v; draw(); });
  var text = ui.line(parts[1]);
  function draw() {
    image.setAttribute("href", "data:image/png;base64," + data.Steps[at].Picture);
    text.textContent = data.Steps[at].Text;
  }
  draw();
