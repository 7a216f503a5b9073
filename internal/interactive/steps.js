  // The similarities of all pairs of nodes, one picture for each step.
  var at = 0, last = data.Steps.length - 1, size = Math.max(4, Math.floor(400 / data.Nodes)) * data.Nodes;
  var picture = ui.drawing(stage, size, size, "similarities of all pairs, and the positive pairs among them");
  var image = ui.svg(picture, "image", { x: 0, y: 0, width: size, height: size, style: "image-rendering:pixelated" });
  var controls = ui.controls(stage);
  ui.button(controls, "one step back", function () { move(Math.max(0, at - 1)); });
  ui.button(controls, "one step", function () { move(Math.min(last, at + 1)); });
  var move = ui.slider(controls, { name: "epoch", min: 0, max: last, step: 1, value: 0, width: 200, format: function (v) { return v + 1; } }, function (v) { at = v; draw(); });
  var text = ui.line(stage);
  function draw() {
    image.setAttribute("href", "data:image/png;base64," + data.Steps[at].Picture);
    text.textContent = data.Steps[at].Text;
  }
  draw();
