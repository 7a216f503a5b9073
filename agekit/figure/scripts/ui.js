// What the scripts of interactive figures share. Each figure on a page carries its
// own copy, since a saved page may keep any one of them.

var ui = {};

// start draws every figure of that name on the page that is not drawn yet. If its
// script fails, the image stays.
function start(name, draw) {
  darken();
  keep();
  document.querySelectorAll('div.agekit-interactive[data-figure="' + name + '"]').forEach(function (root) {
    if (root.agekitReady) return; // a property, not an attribute: a saved page starts anew
    root.agekitReady = true;
    var stage = document.createElement("div");
    stage.className = "agekit-stage";
    stage.style.cssText = "max-width:720px;padding:8px 10px;background:#fff;color:#222;color-scheme:light;font:14px/1.4 'Liberation Sans',Arial,Helvetica,sans-serif";
    var data = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
    function show(data) {
      var shown = draw(stage, data, ui);
      root.querySelector(".agekit-stage").replaceWith(stage);
      if (shown) shown(); // the stage has a size now
    }
    if (typeof data !== "string") return show(data);
    if (!window.DecompressionStream) {
      root.querySelector(".agekit-stage").textContent = "This figure needs a browser of 2023 or later.";
      return;
    }
    new Response(new Blob([unpacked(data)]).stream().pipeThrough(new DecompressionStream("gzip"))).json().then(show);
  });
}
// darken does in JupyterLab's dark theme what reports do in the dark: figures keep their
// hues and change light for dark.
function darken() {
  if (!document.body.hasAttribute("data-jp-theme-light") || document.getElementById("agekit-dark")) return;
  document.head.appendChild(document.createElement("style")).id = "agekit-dark";
  document.getElementById("agekit-dark").textContent = 'body[data-jp-theme-light="false"] .agekit-interactive > .agekit-stage { filter: invert(0.91) hue-rotate(180deg); }';
}
// keep leaves keys to a control that uses them: JupyterLab would move between cells with the
// arrow keys, unless the element with the focus says that they are its own. Other keys, such as
// Shift+Enter, remain JupyterLab's.
function keep() {
  if (!document.body.hasAttribute("data-jp-theme-light") || window.agekitKeys) return;
  window.agekitKeys = true;
  window.addEventListener("keydown", function (event) { // before JupyterLab, which listens at the document
    if (!event.target.closest || !event.target.closest(".agekit-stage")) return;
    var plain = !event.ctrlKey && !event.metaKey && !event.altKey && !(event.shiftKey && event.key === "Enter");
    event.target.toggleAttribute("data-lm-suppress-shortcuts", plain && /^(Arrow|Page|Home|End|Enter|[ +-]$)/.test(event.key));
  }, true);
}
// unpacked returns the bytes of base64.
function unpacked(text) {
  var raw = atob(text), bytes = new Uint8Array(raw.length);
  for (var i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// The colors of classes and series are those of the package's figures (theme.go).
ui.colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
ui.color = function (i) { return ui.colors[i % ui.colors.length]; };

// ui.signal returns the color of a value from -1 (vermilion) over 0 (nearly white)
// to 1 (blue).
ui.signal = function (value) {
  var to = value < 0 ? [213, 94, 0] : [0, 114, 178], share = Math.min(1, Math.abs(value));
  return "rgb(" + to.map(function (c) { return Math.round(244 + (c - 244) * share); }).join(",") + ")";
};

// ui.html and ui.svg add an element to a parent and return it.
ui.html = function (parent, tag, attributes, text) {
  return add(parent, document.createElement(tag), attributes, text);
};
ui.svg = function (parent, tag, attributes, text) {
  return add(parent, document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, text);
};
function add(parent, element, attributes, text) {
  for (var name in attributes || {}) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

// ui.drawing adds an SVG drawing that is as wide as the page allows. Lengths in it
// are in units of the given width and height.
ui.drawing = function (parent, width, height, label) {
  return ui.svg(parent, "svg", { viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": label,
    style: "display:block;width:100%;height:auto;background:#fff", "font-size": 13, fill: "#222",
    "font-family": "'Liberation Sans',Arial,Helvetica,sans-serif" });
};

// ui.columns adds parts beside each other, or one below the other where the page is
// narrow, with the given widths in pixels, and returns them.
ui.columns = function (parent, widths) {
  var row = ui.html(parent, "div", { style: "display:flex;flex-wrap:wrap;gap:4px 14px;justify-content:center" });
  return widths.map(function (w) {
    return ui.html(row, "div", { style: "flex:" + w + " 1 " + Math.min(w, 280) + "px;min-width:0;max-width:" + 1.4 * w + "px" });
  });
};

// ui.axes draws the axes of a chart in the box [left, top, width, height] of an SVG
// drawing. x and y are {low, high, ticks, label, format}. It returns the functions
// that map values to places.
ui.axes = function (svg, box, x, y) {
  function atX(v) { return box[0] + box[2] * (v - x.low) / (x.high - x.low); }
  function atY(v) { return box[1] + box[3] * (1 - (v - y.low) / (y.high - y.low)); }
  var bottom = box[1] + box[3];
  y.ticks.forEach(function (v) {
    ui.svg(svg, "path", { d: "M" + box[0] + " " + atY(v) + "h" + box[2], stroke: "#e3e3e3" });
    ui.svg(svg, "text", { x: box[0] - 6, y: atY(v), dy: "0.35em", "text-anchor": "end" }, y.format ? y.format(v) : v);
  });
  x.ticks.forEach(function (v) {
    ui.svg(svg, "path", { d: "M" + atX(v) + " " + bottom + "v4", stroke: "#222" });
    ui.svg(svg, "text", { x: atX(v), y: bottom + 18, "text-anchor": "middle" }, x.format ? x.format(v) : v);
  });
  ui.svg(svg, "path", { d: "M" + box[0] + " " + box[1] + "V" + bottom + "h" + box[2], fill: "none", stroke: "#222" });
  ui.svg(svg, "text", { x: box[0] + box[2] / 2, y: bottom + 36, "text-anchor": "middle" }, x.label);
  ui.svg(svg, "text", { transform: "translate(" + (box[0] - 40) + " " + (box[1] + box[3] / 2) + ") rotate(-90)", "text-anchor": "middle" }, y.label);
  return { x: atX, y: atY };
};

// ui.path returns the path of a line through values.
ui.path = function (at, xs, ys) {
  return xs.map(function (v, i) { return (i ? "L" : "M") + at.x(v).toFixed(1) + " " + at.y(ys[i]).toFixed(1); }).join("");
};

// ui.controls adds a row for sliders, choices and buttons.
ui.controls = function (parent) {
  return ui.html(parent, "div", { class: "agekit-controls", style: "display:flex;flex-wrap:wrap;gap:6px 22px;align-items:center;margin:6px 0" });
};

// ui.slider adds a slider {name, min, max, step, value, format}, and calls
// change(value) when it moves. The returned function sets it.
ui.slider = function (parent, options, change) {
  var label = ui.html(parent, "label", { style: "display:inline-flex;gap:8px;align-items:center;color:#222" }, options.name);
  var input = ui.html(label, "input", { type: "range", min: options.min, max: options.max, step: options.step, "data-name": options.name, style: "width:" + (options.width || 180) + "px" });
  var shown = ui.html(label, "b", { style: "min-width:3em" });
  function show() {
    shown.textContent = options.format ? options.format(+input.value) : input.value;
    input.setAttribute("aria-valuetext", shown.textContent);
  }
  input.value = options.value; // a browser may keep the old position on reload
  input.addEventListener("input", function () { show(); change(+input.value); });
  show();
  return function (value) { input.value = value; show(); change(+input.value); };
};

// ui.choice adds a list {name, options: [text], value: index}, and calls
// change(index) when another entry is chosen. The returned function sets it.
ui.choice = function (parent, options, change) {
  var label = ui.html(parent, "label", { style: "display:inline-flex;gap:8px;align-items:center;color:#222" }, options.name);
  var select = ui.html(label, "select", { "data-name": options.name, style: "font:inherit;color:#222;background:#fff;max-width:260px" });
  options.options.forEach(function (text, i) { ui.html(select, "option", { value: i }, text); });
  select.value = options.value || 0;
  select.addEventListener("change", function () { change(+select.value); });
  return function (value) { select.value = value; change(value); };
};

ui.button = function (parent, text, click) {
  var button = ui.html(parent, "button", { type: "button", "data-name": text, style: "font:inherit" }, text);
  button.addEventListener("click", click);
  return button;
};

// ui.line adds a line of text, which screen readers announce when it changes.
ui.line = function (parent) {
  return ui.html(parent, "p", { style: "margin:6px 0 0;color:#222;min-height:1.4em", "aria-live": "polite" });
};

// ui.legend adds the names of classes with their colors. It leaves out classes whose
// name is null.
ui.legend = function (parent, names) {
  var list = ui.html(parent, "div", { style: "display:flex;flex-wrap:wrap;gap:2px 16px;margin:4px 0" });
  names.forEach(function (name, i) {
    if (name === null) return;
    var entry = ui.html(list, "span", { style: "display:inline-flex;gap:6px;align-items:center" });
    ui.html(entry, "span", { style: "width:11px;height:11px;border-radius:50%;background:" + ui.color(i) });
    ui.html(entry, "span", {}, name);
  });
  return list;
};

// ui.graph draws a graph {X, Y, Edges, Names} into the box [left, top, width,
// height] of an SVG drawing. It calls point(i) when the reader points at node i, or
// reaches it with the arrow keys, and click(i) on a click or Enter. It returns
// {nodes, edges}, the circles and the lines, to be painted.
ui.graph = function (svg, graph, box, point, click) {
  var pad = 14;
  function x(i) { return box[0] + pad + (box[2] - 2 * pad) * graph.X[i]; }
  function y(i) { return box[1] + box[3] - pad - (box[3] - 2 * pad) * graph.Y[i]; }
  var edges = graph.Edges.map(function (e) {
    return ui.svg(svg, "line", { x1: x(e[0]).toFixed(1), y1: y(e[0]).toFixed(1), x2: x(e[1]).toFixed(1), y2: y(e[1]).toFixed(1), stroke: "#b4b9c1", "stroke-width": 1.2 });
  });
  var layer = ui.svg(svg, "g", { tabindex: 0, role: "listbox", "aria-label": "nodes; arrow keys move, Enter chooses" });
  var current = -1;
  function go(i) {
    if (current >= 0) nodes[current].setAttribute("stroke-width", 0.8);
    current = (i + graph.X.length) % graph.X.length;
    nodes[current].setAttribute("stroke-width", 2.4); // the keyboard shows no pointer
    if (point) point(current);
  }
  var nodes = graph.X.map(function (_, i) {
    var node = ui.svg(layer, "circle", { cx: x(i).toFixed(1), cy: y(i).toFixed(1), r: 7, stroke: "#222", "stroke-width": 0.8, "data-node": i, style: click ? "cursor:pointer" : "" });
    if (graph.Names) ui.svg(node, "title", {}, graph.Names[i]);
    node.addEventListener("pointerenter", function () { go(i); });
    node.addEventListener("click", function () { go(i); if (click) click(i); });
    return node;
  });
  layer.addEventListener("keydown", function (event) {
    var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) go(current + step);
    else if (event.key === "Enter" && current >= 0 && click) click(current);
    else return;
    event.preventDefault();
    event.stopPropagation(); // Jupyter moves between cells with the same keys
  });
  return { nodes: nodes, edges: edges };
};

// ui.numbers reads a number of whole numbers that are base64 of little-endian ones.
ui.numbers = function (text, count) {
  var bytes = unpacked(text), size = count ? bytes.length / count : 1;
  return size === 1 ? bytes : size === 2 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
};

// ui.map draws points {x, y} that can be zoomed with its buttons, with Ctrl and the
// wheel, with two fingers, and moved by dragging. Dots are stamped into the pixels of
// one canvas, which stays quick with 100,000 of them; what the pointer is at is drawn
// on a second one above. options: color(i) of a point, shape(i), which of shapes, paths
// of SVG around (0, 0), its dot has (default: discs), radius, front(i) (whether it has
// its color, before the others), over(pen, x, y, zoom), which draws on the second
// canvas, point(i or -1) when the reader points at a point, choose(i or -1) on a click,
// within, points whose box the map shows (default: all), height for a width of 700
// (default 460), most (its largest height, in CSS), label.
//
// It returns the function that draws it again; its moved() draws points with new
// places, over() only the second canvas, show(i) moves to a point that is outside, and
// resize() takes the size that the page gives it. Its frame is the element of the map.
ui.map = function (parent, points, options) {
  var n = 0, width, height, sharp, image, zoom = 1, left = 0, top = 0, box, scale;
  var colors = {}, packed, behind, anyBehind, shapes, grid = null;
  var frame = ui.html(parent, "div", { class: "agekit-map", style: "position:relative;overflow:hidden;border:1px solid #b4b9c1;max-height:" + (options.most || "none") + ";aspect-ratio:700/" + (options.height || 460) });
  var dots = ui.html(frame, "canvas", { style: "position:absolute;inset:0;width:100%;height:100%" });
  var above = ui.html(frame, "canvas", { tabindex: 0, role: "img", "aria-label": options.label + "; plus and minus zoom, arrow keys move",
    style: "position:absolute;inset:0;width:100%;height:100%;touch-action:pan-y" });
  var pen = dots.getContext("2d"), penAbove = above.getContext("2d");

  function fit() {
    function range(a) { return a.reduce(function (r, v) { return [Math.min(r[0], v), Math.max(r[1], v)]; }, [Infinity, -Infinity]); }
    var x = range((options.within || points).x), y = range((options.within || points).y);
    box = { x: (x[0] + x[1]) / 2, y: (y[0] + y[1]) / 2, width: x[1] - x[0] || 1, height: y[1] - y[0] || 1 };
    scale = Math.min((width - 24) / box.width, (height - 24) / box.height);
  }
  function x(i) { return (width / 2 + (points.x[i] - box.x) * scale - left) * zoom; }
  function y(i) { return (height / 2 - (points.y[i] - box.y) * scale - top) * zoom; }

  // pixel returns a color as four bytes: in little-endian order, alpha first.
  function pixel(color) {
    if (!(color in colors)) {
      var c = color[0] === "#" ? [1, 3, 5].map(function (at) { return parseInt(color.slice(at, at + 2), 16); }) : color.match(/[0-9]+/g);
      colors[color] = (255 << 24 | c[2] << 16 | c[1] << 8 | c[0]) >>> 0;
    }
    return colors[color];
  }
  function paint() {
    n = points.x.length;
    packed = new Uint32Array(n);
    behind = new Uint8Array(n);
    shapes = options.shape ? new Uint8Array(n) : null;
    anyBehind = false;
    var faded = pixel(getComputedStyle(frame).getPropertyValue("--agekit-faded").trim() || "#dde1e6");
    for (var i = 0; i < n; i++) {
      behind[i] = options.front && !options.front(i) ? 1 : 0;
      anyBehind = anyBehind || behind[i] === 1;
      packed[i] = behind[i] ? faded : pixel(options.color(i));
      if (shapes) shapes[i] = options.shape(i);
    }
  }
  // mask returns the runs of pixels of a dot: triples of row, first and last column.
  function mask(shape, r) {
    var runs = [], far = shape ? Math.ceil(1.3 * r) : r, path = shape ? new Path2D(options.shapes[shape]) : null;
    for (var dy = -far; dy <= far; dy++) {
      var wide = shape ? 0 : Math.floor(Math.sqrt((r + 0.35) * (r + 0.35) - dy * dy));
      if (!shape) runs.push(dy, -wide, wide);
      for (var dx = -far, from = null; shape && dx <= far + 1; dx++) {
        var inside = pen.isPointInPath(path, dx / (r + 0.35), dy / (r + 0.35));
        if (inside && from === null) from = dx;
        if (!inside && from !== null) { runs.push(dy, from, dx - 1); from = null; }
      }
    }
    return runs;
  }
  var masks = null, masksFor = 0;
  function radius() { return options.radius || (n > 20000 ? 1.2 : n > 3000 ? 1.9 : 2.6); }
  function stamp() {
    var pixels = new Uint32Array(image.data.buffer), w = dots.width, h = dots.height;
    pixels.fill(0);
    var r = Math.min(14 * sharp, Math.max(1, Math.round(radius() * Math.sqrt(zoom) * sharp)));
    if (r !== masksFor) masks = (options.shapes || [0]).map(function (_, shape) { return mask(shape, r); });
    masksFor = r;
    for (var pass = anyBehind ? 1 : 0; pass >= 0; pass--) {
      for (var i = 0; i < n; i++) {
        if (behind[i] !== pass) continue;
        var atX = Math.round(x(i) * sharp), atY = Math.round(y(i) * sharp);
        if (atX < -2 * r || atY < -2 * r || atX >= w + 2 * r || atY >= h + 2 * r) continue;
        var runs = masks[shapes ? shapes[i] : 0];
        for (var k = 0; k < runs.length; k += 3) {
          var row = atY + runs[k];
          if (row < 0 || row >= h) continue;
          for (var q = row * w + Math.max(0, atX + runs[k + 1]), end = row * w + Math.min(w - 1, atX + runs[k + 2]); q <= end; q++) pixels[q] = packed[i];
        }
      }
    }
    pen.putImageData(image, 0, 0);
    drawAbove();
  }
  function drawAbove() {
    penAbove.setTransform(sharp, 0, 0, sharp, 0, 0);
    penAbove.clearRect(0, 0, width, height);
    penAbove.strokeStyle = getComputedStyle(frame).color || "#222";
    if (options.over) options.over(penAbove, x, y, zoom);
  }
  var waiting = false;
  function soon() { // at most once for each frame
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () { waiting = false; stamp(); });
  }
  function draw() { grid = null; paint(); soon(); }
  draw.over = drawAbove;
  draw.frame = frame;
  // picture returns what a picture of the map needs.
  draw.picture = function () { return { width: width, height: height, x: x, y: y, radius: Math.min(14, radius() * Math.sqrt(zoom)), behind: behind }; };
  draw.moved = function () { fit(); draw(); };
  draw.resize = function () {
    var large = points.x.length > 20000;
    width = frame.clientWidth || 700;
    height = frame.clientHeight || options.height || 460;
    sharp = Math.max(large ? 1 : 2, Math.min(large ? 2 : 3, window.devicePixelRatio || 1)); // small maps are cheap to draw finely
    [dots, above].forEach(function (c) { c.width = Math.round(width * sharp); c.height = Math.round(height * sharp); });
    frame.style.setProperty("--agekit-ratio", width / height);
    image = pen.createImageData(dots.width, dots.height);
    fit();
    limit();
    paint();
    stamp(); // the canvas is empty now, and a page that is printed has no next frame
  };
  // show zooms no farther, but moves a point that is outside to the middle.
  draw.show = function (i) {
    if (x(i) >= 10 && y(i) >= 10 && x(i) <= width - 10 && y(i) <= height - 10) return;
    move(width / 2 - x(i), height / 2 - y(i));
  };
  function limit() {
    left = Math.max(0, Math.min(width - width / zoom, left));
    top = Math.max(0, Math.min(height - height / zoom, top));
    above.style.touchAction = zoom > 1 ? "none" : "pan-y"; // a page can be scrolled over the whole map
  }
  function zoomAt(factor, atX, atY) {
    var next = Math.max(1, Math.min(200, zoom * factor));
    left += atX / zoom - atX / next;
    top += atY / zoom - atY / next;
    zoom = next;
    limit();
    soon();
  }
  function move(dx, dy) {
    left -= dx / zoom;
    top -= dy / zoom;
    limit();
    soon();
  }

  function place(event) {
    var at = above.getBoundingClientRect();
    return [(event.clientX - at.left) * width / at.width, (event.clientY - at.top) * height / at.height];
  }
  // A grid over the map finds the points near the pointer.
  function gridded() {
    var cells = n > 5000 ? 256 : 64, size = Math.max(box.width, box.height) / cells;
    function bound(v) { return Math.max(0, Math.min(cells - 1, Math.floor(v))); }
    grid = {
      column: function (v) { return bound((v - box.x + box.width / 2) / size); }, row: function (v) { return bound((v - box.y + box.height / 2) / size); },
      cells: cells, first: new Uint32Array(cells * cells + 1), inCell: new Uint32Array(n)
    };
    function cell(i) { return grid.row(points.y[i]) * cells + grid.column(points.x[i]); }
    for (var i = 0; i < n; i++) grid.first[cell(i) + 1]++;
    for (var c = 0; c < cells * cells; c++) grid.first[c + 1] += grid.first[c];
    var next = grid.first.slice();
    for (i = 0; i < n; i++) grid.inCell[next[cell(i)]++] = i;
  }
  function nearest(at) {
    if (!grid) gridded();
    var best = -1, closest = 14 * 14, s = scale * zoom; // 14 pixels away at most
    var atX = box.x + (at[0] / zoom + left - width / 2) / scale, atY = box.y - (at[1] / zoom + top - height / 2) / scale, reach = 14 / s;
    for (var row = grid.row(atY - reach); row <= grid.row(atY + reach); row++) {
      for (var p = grid.first[row * grid.cells + grid.column(atX - reach)]; p < grid.first[row * grid.cells + grid.column(atX + reach) + 1]; p++) {
        var i = grid.inCell[p], dx = (points.x[i] - atX) * s, dy = (points.y[i] - atY) * s;
        if (!behind[i] && dx * dx + dy * dy < closest) { closest = dx * dx + dy * dy; best = i; }
      }
    }
    return best;
  }

  var fingers = {}, moved = 0;
  function spread() {
    var f = Object.keys(fingers).map(function (id) { return fingers[id]; });
    return f.length < 2 ? 0 : Math.hypot(f[0][0] - f[1][0], f[0][1] - f[1][1]);
  }
  above.addEventListener("pointerdown", function (event) { fingers[event.pointerId] = place(event); moved = 0; });
  above.addEventListener("pointermove", function (event) {
    var at = place(event), before = fingers[event.pointerId];
    if (!before) { if (options.point) options.point(nearest(at)); return; }
    moved += Math.hypot(at[0] - before[0], at[1] - before[1]);
    var wide = spread();
    fingers[event.pointerId] = at;
    if (wide > 0) zoomAt(spread() / wide, at[0], at[1]);
    else if (zoom > 1) move(at[0] - before[0], at[1] - before[1]);
  });
  ["pointerup", "pointercancel", "pointerleave"].forEach(function (kind) {
    above.addEventListener(kind, function (event) {
      var clicked = kind === "pointerup" && moved < 6, i = clicked ? nearest(place(event)) : -1;
      delete fingers[event.pointerId];
      // A finger leaves when it is lifted; what it touched is still meant.
      if (options.point && (i >= 0 || kind === "pointerleave" && event.pointerType !== "touch")) options.point(i);
      if (options.choose && clicked) options.choose(i);
    });
  });
  above.addEventListener("wheel", function (event) {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    var at = place(event);
    zoomAt(Math.exp(-event.deltaY / 200), at[0], at[1]);
  }, { passive: false });
  above.addEventListener("keydown", function (event) {
    var step = { ArrowRight: [-40, 0], ArrowLeft: [40, 0], ArrowDown: [0, -40], ArrowUp: [0, 40] }[event.key];
    if (step) move(step[0], step[1]);
    else if (event.key === "+" || event.key === "=") zoomAt(1.5, width / 2, height / 2);
    else if (event.key === "-") zoomAt(1 / 1.5, width / 2, height / 2);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  if (window.ResizeObserver) new ResizeObserver(draw.resize).observe(frame);
  var row = ui.controls(parent);
  ui.button(row, "zoom in", function () { zoomAt(1.5, width / 2, height / 2); });
  ui.button(row, "zoom out", function () { zoomAt(1 / 1.5, width / 2, height / 2); });
  ui.button(row, "whole map", function () { zoomAt(1 / 200, 0, 0); });
  draw.resize();
  return draw;
};
