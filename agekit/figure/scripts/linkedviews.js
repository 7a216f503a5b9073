// Linked views of sums over a graph's nodes: the graph, a matrix, and the terms of a sum.
// What the reader points at in one of them, by pointer, finger or arrow keys, is marked in
// the other two. It needs ui.html, ui.svg, ui.signal and ui.number, and linkedviews.css; it
// writes no style attributes, which a page's security policy may forbid.

// ui.linked draws the views of data {Graph: {X, Y, Edges, Names}, Short: [text of a node],
// Signals: [{Name, X}]} into a parent. It calls changed() when the reader chooses another
// node or unfolds another number. The returned object has the state
//
//   show     "degrees" (the sums of Ã), "words" (Ãx), "filter" (Hᵗx) or "pairs" (cosines of Hᵗx)
//   node     the row of the sum
//   open     nodes whose values are unfolded below it, each in the sum before
//   why      [depth, node]: the entry of the matrix that is explained, or null
//   k, layers, signal, share (of the pairs, the most similar first, that are marked)
//
// and draw(), which draws the state, and read(), which returns the numbers that it shows.
ui.linked = function (parent, data, changed) {
  var graph = data.Graph, n = graph.X.length;
  var at = { show: "filter", node: 0, open: [], why: null, k: data.K || 2 / 3, layers: 1, signal: 0, share: 0.3, draw: draw, read: read };
  var over = null; // what the reader points at: {row, column (or −1), from: the view}
  var cursor = [0, 0]; // of the arrow keys in the matrix
  var root = ui.html(parent, "div", { class: n > 6 ? "agekit-linked agekit-many" : "agekit-linked" });
  var frames = [0, 1, 2].map(function (part) { return ui.html(root, "div", part < 2 ? { class: "agekit-part" } : { class: "agekit-part", "aria-live": "polite" }); });
  var degree = graph.X.map(function () { return 1; }); // d̃: a node is its own neighbor
  graph.Edges.forEach(function (e) { degree[e[0]]++; degree[e[1]]++; });
  var joined = graph.X.map(function (_, i) { return graph.X.map(function (_, j) { return i === j ? 1 : 0; }); });
  graph.Edges.forEach(function (e) { joined[e[0]][e[1]] = joined[e[1]][e[0]] = 1; });
  var model = null, drawn = {};

  // The model: the matrix, and the signal after each layer.
  function product(matrix, x) { return matrix.map(function (row) { return row.reduce(function (sum, v, j) { return sum + v * x[j]; }, 0); }); }
  function filter() {
    return joined.map(function (row, i) {
      return row.map(function (a, j) { return (i === j ? 1 - at.k : 0) + at.k * a / Math.sqrt(degree[i] * degree[j]); });
    });
  }
  function smoothed(matrix, x, t) {
    var all = [x];
    for (var layer = 0; layer < t; layer++) all.push(product(matrix, all[layer]));
    return all;
  }
  function make() {
    var h = filter(), x = data.Signals[at.signal].X, ones = x.map(function () { return 1; });
    if (at.show === "degrees") return { matrix: joined, layers: [ones, product(joined, ones)] };
    if (at.show === "words") return { matrix: joined, layers: [x, product(joined, x)] };
    if (at.show === "filter") return { matrix: h, layers: smoothed(h, x, at.layers) };
    var columns = data.Signals.map(function (s) { return smoothed(h, s.X, at.layers)[at.layers]; });
    var rows = graph.X.map(function (_, i) { // of length 1, or all 0
      var row = columns.map(function (c) { return c[i]; }), length = Math.sqrt(row.reduce(function (sum, v) { return sum + v * v; }, 0));
      return row.map(function (v) { return length ? v / length : 0; });
    });
    var cosines = rows.map(function (a) { return rows.map(function (b) { return a.reduce(function (sum, v, w) { return sum + v * b[w]; }, 0); }); });
    cosines.forEach(function (row, i) { if (row[i]) row[i] = 1; }); // without rounding
    return { matrix: cosines, rows: rows, layers: [columns[at.signal]], least: threshold(cosines) };
  }
  // threshold returns the least similarity of the share of most similar pairs.
  function threshold(cosines) {
    var all = [];
    for (var i = 0; i < n; i++) for (var j = 0; j < i; j++) all.push(cosines[i][j]);
    all.sort(function (a, b) { return b - a; });
    return at.share > 0 ? all[Math.max(0, Math.round(at.share * all.length) - 1)] : Infinity;
  }
  function isPositive(i, j) { return i !== j && model.matrix[i][j] >= model.least - 1e-12; }
  function depth() { return model.layers.length - 1; }
  function read() {
    var pairs = 0, same = 0;
    if (at.show === "pairs") for (var i = 0; i < n; i++) for (var j = 0; j < i; j++) if (isPositive(i, j)) { pairs++; if (graph.Classes && graph.Classes[i] === graph.Classes[j]) same++; }
    return { matrix: model.matrix, values: model.layers[depth()], pairs: pairs, same: same, least: model.least, before: quotient(model.layers[0]), quotient: quotient(model.layers[depth()]) };
  }
  function quotient(x) { // Σ over the edges (xᵢ/√d̃ᵢ − xⱼ/√d̃ⱼ)² / Σ xᵢ²
    var above = 0, below = 0;
    graph.Edges.forEach(function (e) { var d = x[e[0]] / Math.sqrt(degree[e[0]]) - x[e[1]] / Math.sqrt(degree[e[1]]); above += d * d; });
    x.forEach(function (v) { below += v * v; });
    return below ? above / below : 0;
  }

  // Words of what is shown.
  function power(t) { return String(t).replace(/[0-9]/g, function (d) { return "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]; }); }
  function nameOf(t) {
    if (at.show === "degrees") return t ? "d̃" : "1";
    if (at.show === "words") return t ? "Ãx" : "x";
    return t === 0 ? "x" : t === 1 ? "Hx" : "H" + power(t) + "x";
  }
  function entryName() { return at.show === "filter" ? "H" : at.show === "pairs" ? "s" : "Ã"; }
  function short(i) { return data.Short[i]; }
  function sub(parent, name, of) { ui.html(parent, "i", {}, name); ui.html(parent, "sub", {}, of); }

  // point marks what the reader points at; row −1 is nothing.
  function point(row, column, from) {
    over = row < 0 ? null : { row: row, column: column, from: from };
    mark();
  }
  function choose(row) {
    over = null;
    at.node = row; at.open = []; at.why = null;
    draw();
    changed();
  }
  function keys(element, act) {
    element.addEventListener("keydown", function (event) {
      if (event.altKey || event.ctrlKey || event.metaKey || !act(event.key)) return;
      event.preventDefault();
      event.stopPropagation(); // Jupyter moves between cells with the same keys
    });
  }
  function listen(element, row, column, from, click) {
    element.addEventListener("pointerenter", function () { point(row, column, from); });
    element.addEventListener("pointerleave", function (event) { if (event.pointerType === "mouse") point(-1); });
    if (click) element.addEventListener("click", click);
  }

  // The graph.
  function drawGraph() {
    var width = n > 6 ? 400 : 300, padX = n > 6 ? 46 : 24, padY = n > 6 ? 34 : 24, values = model.layers[depth()];
    var low = Math.min.apply(null, graph.Y), range = Math.max.apply(null, graph.Y) - low;
    var height = 2 * padY + Math.max(1, Math.round(0.8 * (width - 2 * padX) * range));
    var top = Math.max.apply(null, values.map(Math.abs)) || 1;
    function x(i) { return padX + (width - 2 * padX) * graph.X[i]; }
    function y(i) { return height - padY - (height - 2 * padY) * (range ? (graph.Y[i] - low) / range : 0.5); }
    var svg = ui.svg(frames[0], "svg", { viewBox: "0 0 " + width + " " + height, role: "img", tabindex: 0,
      "aria-label": "The graph: " + n + " nodes, " + graph.Edges.length + " edges. Arrow keys go from node to node, Enter chooses one." });
    drawn.edges = graph.Edges.map(function (e) {
      return { ends: e, line: ui.svg(svg, "line", { x1: x(e[0]), y1: y(e[0]), x2: x(e[1]), y2: y(e[1]), class: "agekit-edge" }) };
    });
    drawn.pairs = [];
    if (at.show === "pairs") for (var i = 0; i < n; i++) for (var j = 0; j < i; j++) if (isPositive(i, j)) {
      drawn.pairs.push({ ends: [j, i], line: ui.svg(svg, "path", { d: "M" + x(i) + " " + y(i) + "Q" + ((x(i) + x(j)) / 2 + (y(j) - y(i)) / 9) + " " + ((y(i) + y(j)) / 2 + (x(i) - x(j)) / 9) + " " + x(j) + " " + y(j), class: "agekit-pair" }) });
    }
    drawn.nodes = graph.X.map(function (_, i) {
      var node = ui.svg(svg, "g", { class: "agekit-node", "data-node": i });
      ui.svg(node, "circle", { cx: x(i), cy: y(i), r: 15, fill: at.show === "degrees" || at.show === "pairs" ? "var(--agekit-soft, #f4f6f8)" : ui.signal(0.6 * values[i] / top) });
      ui.svg(node, "text", { x: x(i), y: y(i), dy: ".35em", "text-anchor": "middle" }, short(i));
      if (graph.Names && data.Named) ui.svg(node, "text", { x: x(i), y: y(i) + 28, "text-anchor": "middle", class: "agekit-name" }, graph.Names[i]);
      else if (graph.Names) ui.svg(node, "title", {}, graph.Names[i]);
      listen(node, i, -1, "graph", function () { choose(i); });
      return node;
    });
    keys(svg, function (key) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key], now = over ? over.row : at.node;
      if (step) point((now + step + n) % n, -1, "graph");
      else if (key === "Enter" || key === " ") { choose(now); frames[0].firstChild.focus(); }
      else if (key === "Escape") point(-1);
      else return false;
      return true;
    });
  }

  // The matrix, and beside it the signal and the product.
  function drawMatrix() {
    var cell = 31, withProduct = at.show !== "pairs";
    var left = 22, top = 40, right = left + n * cell, width = right + (withProduct ? 2 * 44 + 20 : 4), height = top + n * cell + 6;
    var svg = ui.svg(frames[1], "svg", { viewBox: "0 0 " + width + " " + height, role: "img", tabindex: 0,
      "aria-label": "The matrix. Arrow keys go from entry to entry, Enter chooses one." });
    var most = Math.max.apply(null, model.matrix.map(function (row) { return Math.max.apply(null, row.map(Math.abs)); })) || 1;
    ui.svg(svg, "text", { x: left, y: 14, class: "agekit-head" }, { degrees: "Ã = A + I", words: "Ã = A + I", filter: "H = I − k·L̃", pairs: "s: similarities" }[at.show]);
    drawn.cells = model.matrix.map(function (row, i) {
      ui.svg(svg, "text", { x: left - 8, y: top + i * cell + cell / 2, dy: ".35em", "text-anchor": "middle", class: "agekit-head" }, short(i));
      ui.svg(svg, "text", { x: left + i * cell + cell / 2, y: top - 8, "text-anchor": "middle", class: "agekit-head" }, short(i));
      return row.map(function (v, j) {
        var positive = at.show === "pairs" && isPositive(i, j);
        var g = ui.svg(svg, "g", { class: "agekit-cell" + (positive ? " agekit-positive" : ""), "data-entry": i + " " + j, "data-value": v.toFixed(6) });
        ui.svg(g, "rect", { x: left + j * cell + 0.5, y: top + i * cell + 0.5, width: cell - 1, height: cell - 1, fill: v ? ui.signal(0.6 * v / most) : "var(--agekit-paper, #fff)" });
        ui.svg(g, "text", { x: left + j * cell + cell / 2, y: top + i * cell + cell / 2, dy: ".35em", "text-anchor": "middle", class: v ? "" : "agekit-zero" }, ui.number(v, 2));
        listen(g, i, j, "matrix", function () { cursor = [i, j]; at.node = i; at.open = []; at.why = [0, j]; draw(); changed(); });
        return g;
      });
    });
    drawn.row = ui.svg(svg, "rect", { class: "agekit-row", x: left, width: right - left, height: cell, y: top });
    if (withProduct) {
      drawn.signal = drawColumn(svg, right + 12, top, cell, depth() - 1 < 0 ? 0 : depth() - 1, "×", 1);
      drawn.product = drawColumn(svg, right + 12 + 44 + 8, top, cell, depth(), "=", 0);
    }
    keys(svg, function (key) {
      var step = { ArrowRight: [0, 1], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowUp: [-1, 0] }[key];
      if (step) { cursor = [(cursor[0] + step[0] + n) % n, (cursor[1] + step[1] + n) % n]; point(cursor[0], cursor[1], "matrix"); }
      else if (key === "Enter" || key === " ") { at.node = cursor[0]; at.open = []; at.why = [0, cursor[1]]; draw(); changed(); frames[1].firstChild.focus(); }
      else if (key === "Escape") point(-1);
      else return false;
      return true;
    });
  }
  function drawColumn(svg, x, top, cell, t, sign, isSignal) {
    var values = model.layers[t], most = Math.max.apply(null, values.map(Math.abs)) || 1;
    ui.svg(svg, "text", { x: x + 20, y: top - 8, "text-anchor": "middle", class: "agekit-head" }, nameOf(t));
    ui.svg(svg, "text", { x: x - 4, y: top + n * cell / 2, dy: ".35em", "text-anchor": "middle" }, sign);
    return values.map(function (v, i) {
      var g = ui.svg(svg, "g", { class: "agekit-cell", "data-of": nameOf(t), "data-value": v.toFixed(6) });
      ui.svg(g, "rect", { x: x + 4.5, y: top + i * cell + 0.5, width: 35, height: cell - 1, fill: v ? ui.signal(0.6 * v / most) : "var(--agekit-paper, #fff)" });
      ui.svg(g, "text", { x: x + 22, y: top + i * cell + cell / 2, dy: ".35em", "text-anchor": "middle", class: v ? "" : "agekit-zero" }, ui.number(v, 2));
      listen(g, isSignal ? at.node : i, isSignal ? i : -1, isSignal ? "signal" : "matrix", function () { choose(i); });
      return g;
    });
  }

  // The sum of a row, and below it those of the values that are unfolded.
  function drawSum(row) {
    var panel = frames[2];
    panel.replaceChildren();
    drawn.terms = [];
    drawn.shownRow = row;
    var general = ui.html(panel, "p", { class: "agekit-general" });
    if (at.show === "pairs") return drawCosine(panel, general, row);
    if (at.show === "degrees") { sub(general, "d̃", "i"); general.append(" = Σ"); ui.html(general, "sub", {}, "j"); general.append(" "); sub(general, "Ã", "ij"); }
    else { sub(general, at.show === "words" ? "n" : "h", "i"); general.append(" = Σ"); ui.html(general, "sub", {}, "j"); general.append(" "); sub(general, entryName(), "ij"); general.append(" · "); sub(general, "x", "j"); }
    if (depth() === 0) { ui.html(panel, "p", {}, "Without a layer, nothing is summed: " + ui.number(model.layers[0][row], 3) + "."); return; }
    var isChosen = row === at.node;
    panel.append(sumOf(row, depth(), 0, isChosen ? at.open : []));
  }
  function sumOf(row, t, level, open) {
    var box = document.createElement("div"), list;
    box.className = "agekit-sum";
    var head = ui.html(box, "p", { class: "agekit-total" }), x = model.layers[t - 1];
    ui.html(head, "b", {}, nameOf(t) + " of " + label(row) + " = ");
    ui.html(head, "b", { class: "agekit-result", "data-sum": model.layers[t][row].toFixed(6), "data-level": level }, ui.number(model.layers[t][row], 3));
    list = ui.html(box, "ul");
    var zeros = 0;
    model.matrix[row].forEach(function (weight, j) {
      if (!weight) { zeros++; return; }
      var item = ui.html(list, "li", { class: "agekit-term", "data-term": row + " " + j }), line = ui.html(item, "span", { class: "agekit-line" });
      var isWhy = at.why && at.why[0] === level && at.why[1] === j && row === rowAt(level);
      press(line, ui.number(weight, 3), at.show === "filter" ? entryName() + " of " + short(row) + " and " + short(j) + ", " + ui.number(weight, 3) + ": why?" : "", isWhy, function () {
        settle(row, level);
        at.why = isWhy ? null : [level, j];
      });
      line.append(" · ");
      var canUnfold = t > 1, isOpen = canUnfold && open[0] === j;
      press(line, ui.number(x[j], 3), canUnfold ? nameOf(t - 1) + " of " + short(j) + ", " + ui.number(x[j], 3) + ": its sum" : "", isOpen, function () {
        settle(row, level);
        at.open = at.open.slice(0, level).concat(isOpen ? [] : [j]);
        at.why = null;
      });
      line.append(" ");
      ui.html(line, "span", { class: "agekit-of" }, label(j));
      ui.html(line, "span", { class: "agekit-value" }, (list.children.length > 1 ? "+ " : "") + ui.number(weight * x[j], 3));
      line.addEventListener("pointerenter", function () { point(row, j, "sum"); });
      line.addEventListener("pointerleave", function (event) { if (event.pointerType === "mouse") point(-1); });
      line.addEventListener("focusin", function () { point(row, j, "sum"); });
      if (isWhy && at.show === "filter") ui.html(item, "p", { class: "agekit-why" }, why(row, j, weight));
      if (isOpen) item.append(sumOf(j, t - 1, level + 1, open.slice(1)));
      drawn.terms.push({ row: row, column: j, line: line });
    });
    if (zeros) ui.html(box, "p", { class: "agekit-rest" }, zeros + (zeros === 1 ? " more term is 0: no edge." : " more terms are 0: no edge."));
    return box;
  }
  function rowAt(level) { return level === 0 ? at.node : at.open[level - 1]; }
  // settle makes the row that the reader only pointed at the chosen one.
  function settle(row, level) { if (level === 0 && row !== at.node) { at.node = row; at.open = []; at.why = null; } over = null; }
  function label(i) { return graph.Names && data.Named ? short(i) + ", " + graph.Names[i] : "node " + short(i); }
  // press adds a number that can be clicked, if it has a meaning to unfold.
  function press(parent, text, meaning, isOpen, click) {
    if (!meaning) return ui.html(parent, "span", { class: "agekit-number" }, text);
    var button = ui.html(parent, "button", { type: "button", class: "agekit-number", "aria-label": meaning, "aria-expanded": isOpen ? "true" : "false" }, text);
    button.addEventListener("click", function () {
      click();
      draw();
      var again = Array.from(frames[2].querySelectorAll("button")).find(function (b) { return b.getAttribute("aria-label") === meaning; });
      if (again) again.focus({ preventScroll: true });
      changed();
    });
    return button;
  }
  function why(i, j, weight) {
    var k = ui.number(at.k, 3);
    if (i === j) return "H = 1 − k + k/d̃ = 1 − " + k + " + " + k + "/" + degree[i] + " = " + ui.number(weight, 3) + ". Node " + short(i) + " has " + (degree[i] - 1) + (degree[i] === 2 ? " neighbor" : " neighbors") + " and itself: d̃ = " + degree[i] + ".";
    return "H = k/√(d̃·d̃) = " + k + "/√(" + degree[i] + "·" + degree[j] + ") = " + ui.number(weight, 3) + ". Each d̃ counts a node's neighbors and itself.";
  }
  // drawCosine writes the similarity of two nodes as a sum over the words.
  function drawCosine(panel, general, row) {
    var other = columnOf(row);
    sub(general, "s", "ij"); general.append(" = Σ"); ui.html(general, "sub", {}, "w"); general.append(" "); sub(general, "x̃", "iw"); general.append(" · "); sub(general, "x̃", "jw"); general.append(", rows of length 1");
    drawn.shownColumn = other;
    var box = ui.html(panel, "div", { class: "agekit-sum" }), head = ui.html(box, "p", { class: "agekit-total" });
    ui.html(head, "b", {}, "s of " + label(row) + " and " + label(other) + " = ");
    ui.html(head, "b", { class: "agekit-result", "data-sum": model.matrix[row][other].toFixed(6), "data-level": 0 }, ui.number(model.matrix[row][other], 3));
    var list = ui.html(box, "ul");
    data.Signals.forEach(function (signal, w) {
      var line = ui.html(ui.html(list, "li", { class: "agekit-term" }), "span", { class: "agekit-line" });
      line.append(ui.number(model.rows[row][w], 3) + " · " + ui.number(model.rows[other][w], 3) + " ");
      ui.html(line, "span", { class: "agekit-of" }, signal.Name);
      ui.html(line, "span", { class: "agekit-value" }, (w ? "+ " : "") + ui.number(model.rows[row][w] * model.rows[other][w], 3));
    });
    if (row !== other) ui.html(box, "p", { class: "agekit-rest" }, isPositive(row, other) ? "A positive pair: at least " + ui.number(model.least, 3) + "." : "Not a positive pair: below " + (model.least === Infinity ? "all" : ui.number(model.least, 3)) + ".");
  }

  // columnOf returns the column that is marked in a row, or −1. In a row of similarities it is
  // that of the most similar other node, if the reader has chosen none.
  function columnOf(row) {
    if (over && over.column >= 0) return over.column;
    if (!over && at.why && at.why[0] === 0) return at.why[1];
    if (at.show !== "pairs") return -1;
    return model.matrix[row].reduce(function (best, v, j) { return j !== row && (best < 0 || v > model.matrix[row][best]) ? j : best; }, -1);
  }

  // mark shows what the reader points at, or else the chosen row, in all three views.
  function mark() {
    var row = over ? over.row : at.node, column = columnOf(row);
    if (!over || over.from !== "sum") {
      if (drawn.shownRow !== row || at.show === "pairs" && drawn.shownColumn !== column) drawSum(row);
    }
    function set(element, name, on) { element.classList.toggle(name, on); }
    drawn.nodes.forEach(function (node, i) {
      set(node, "agekit-on", i === row || i === column);
      set(node, "agekit-far", !(i === row || i === column || column < 0 && model.matrix[row][i] !== 0));
    });
    drawn.edges.concat(drawn.pairs).forEach(function (edge) {
      var touches = edge.ends[0] === row && (column < 0 || edge.ends[1] === column) || edge.ends[1] === row && (column < 0 || edge.ends[0] === column);
      set(edge.line, "agekit-on", touches);
    });
    drawn.cells.forEach(function (cells, i) { cells.forEach(function (cell, j) { set(cell, "agekit-on", i === row && j === column); }); });
    drawn.row.setAttribute("y", Number(drawn.cells[row][0].firstChild.getAttribute("y")) - 0.5);
    if (at.show !== "pairs") {
      drawn.signal.forEach(function (cell, j) { set(cell, "agekit-on", j === column); });
      drawn.product.forEach(function (cell, i) { set(cell, "agekit-on", i === row); });
    }
    drawn.terms.forEach(function (term) { set(term.line, "agekit-on", term.row === row && term.column === column); });
  }

  function draw() {
    over = null;
    model = make();
    frames.forEach(function (frame) { frame.replaceChildren(); });
    drawn = { shownRow: -1, terms: [] };
    drawGraph();
    drawMatrix();
    drawSum(at.node);
    mark();
  }
  return at;
};
