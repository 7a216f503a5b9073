  var n = data.N, view = data.Views[data.Views.length - 1], by = 0, only = -1;
  var more = null; // what a page of its own has beside
  var pointed = -1, kept = -1; // the node under the pointer, and the one that was clicked or found
  data.Views.forEach(function (v) {
    v.X = ui.numbers(v.X, n);
    v.Y = ui.numbers(v.Y, n);
    v.Colorings.forEach(function (c) {
      if (c.Numbers) c.Numbers = ui.numbers(c.Numbers, n);
      if (!c.Words) return;
      // The most frequent words have colors, and then there are others and none at all.
      c.Codes = c.Numbers;
      c.Labels = c.Words.slice(0, c.Most).concat("other", "unknown");
      c.Numbers = c.Codes.map(function (e) { return e < c.Most ? e : e < c.Words.length ? c.Most : c.Most + 1; });
    });
  });
  // Texts, which are last, give no colors.
  var colorings = view.Colorings.filter(function (c) { return c.Labels || c.Values || c.RedLabel; });
  var points = { x: view.X, y: view.Y };

  // The neighbors of node i are ends[starts[i]] to ends[starts[i + 1] - 1].
  var starts = new Uint32Array(n + 1), ends = null;
  if (data.Later) (function () {
    var later = ui.numbers(data.Later, n), count = later.reduce(function (a, b) { return a + b; }, 0), to = ui.numbers(data.Ends || "", count), at = 0;
    later.forEach(function (k, i) {
      starts[i + 1] += k;
      for (; k > 0; k--) starts[to[at++] + 1]++;
    });
    for (var i = 0; i < n; i++) starts[i + 1] += starts[i];
    ends = new Uint32Array(2 * count);
    var next = starts.slice();
    at = 0;
    later.forEach(function (k, i) {
      for (; k > 0; k--, at++) { ends[next[i]++] = to[at]; ends[next[to[at]]++] = i; }
    });
  })();
  function neighbors(i) { return ends ? Array.from(ends.subarray(starts[i], starts[i + 1])) : []; }

  function name(i) { return data.Names ? data.Names[i] : "node " + i; }
  function title(i) { return data.Titles && data.Titles[i] || name(i); }
  function value(c, i) { return c.Values ? c.Values[i] : c.Low + (c.High - c.Low) * c.Numbers[i] / 65535; }
  function minus(text) { return text.replace("-", "\u2212"); }
  // From vermilion over gray to blue.
  function shade(share) {
    var colors = [[213, 94, 0], [170, 176, 184], [0, 114, 178]], k = share < 0.5 ? 0 : 1;
    share = Math.round(100 * Math.max(0, Math.min(1, share))) / 100;
    return "rgb(" + colors[k].map(function (c, channel) { return Math.round(c + (colors[k + 1][channel] - c) * (2 * share - k)); }).join(",") + ")";
  }
  var dark = window.matchMedia("(prefers-color-scheme: dark)"), gray = "#969ca4";
  // tone returns the color to use on the page.
  function tone(color) { return dark.matches && data.Dark && data.Dark[color] || color; }
  function isGray(c, e) { return c.Unknown && e === c.Labels.length - 1 || c.Words && e >= c.Most; }
  function groupColor(c, e) { return isGray(c, e) ? gray : data.Colors[e % data.Colors.length]; }
  // Where colors repeat, shapes differ. Unknown ones are rings, the last shape.
  function groupShape(c, e) {
    if (!data.Shapes) return 0;
    if (isGray(c, e)) return e === c.Labels.length - 1 ? data.Shapes.length - 1 : 1;
    return Math.floor(e / data.Colors.length) % data.Shapes.length;
  }
  // paperColor returns the color of a node on white paper.
  function paperColor(i) {
    var c = view.Colorings[by];
    if (c.Labels) return groupColor(c, c.Numbers[i]);
    return value(c, i) === null ? gray : shade((value(c, i) - c.Red) / (c.Blue - c.Red));
  }
  function color(i) { return tone(paperColor(i)); }
  function shape(i) {
    var c = view.Colorings[by];
    return c.Labels ? groupShape(c, c.Numbers[i]) : 0;
  }
  function front(i) { return only < 0 || view.Colorings[by].Numbers[i] === only; }

  var controls = ui.controls(stage);
  if (data.Views.length > 1) {
    ui.choice(controls, { name: "map", options: data.Views.map(function (v) { return v.Name; }), value: data.Views.length - 1 }, function (i) {
      view = data.Views[i];
      points.x = view.X;
      points.y = view.Y;
      explain();
      legend();
      draw.moved();
      say();
    });
  }
  if (colorings.length > 1) ui.choice(controls, { name: "color", options: colorings.map(function (c) { return c.Name; }) }, function (i) {
    by = i;
    only = -1;
    legend();
    draw();
  });
  var find = ui.html(ui.html(controls, "label", { style: "display:inline-flex;gap:8px;align-items:center;color:#222" }, "find"), "input",
    { type: "search", placeholder: data.Numbered ? "name or number" : data.Titles ? "title or id" : "id", autocomplete: "off", spellcheck: "false", "data-name": "find", "data-lm-suppress-shortcuts": true, style: "font:inherit;color:#222;background:#fff;width:11em" });
  var most = 1000; // nodes found
  function matches() {
    var text = find.value.trim().toLowerCase(), exact = [], found = [];
    if (data.Numbered && /^[0-9]+$/.test(text)) return +text < n ? [+text] : [];
    for (var i = 0; text && i < n && found.length < most; i++) {
      var at = name(i).toLowerCase();
      if (at === text) exact.push(i);
      else if (at.indexOf(text) >= 0 || data.Titles && data.Titles[i].toLowerCase().indexOf(text) >= 0) found.push(i);
    }
    return exact.concat(found);
  }
  var found = [];
  find.addEventListener("input", function () {
    found = matches();
    choose(found.length ? found[0] : -1, find.value.trim() === "" || found.length === 1 ? "" :
      found.length ? " (one of " + (found.length < most ? found.length : "1,000 or more") + " found; Enter shows the next)" : "Nothing found.");
  });
  find.addEventListener("keydown", function (event) {
    event.stopPropagation(); // Jupyter has commands on single letters; older ones know the attribute
    if (event.key !== "Enter" || !found.length) return;
    var next = (found.indexOf(kept) + 1) % found.length;
    choose(found[next], " (" + (next + 1) + " of " + found.length + " found)");
  });
  // choose keeps a node, or none if i is -1.
  function choose(i, note) {
    kept = i;
    pointed = -1;
    if (i >= 0) draw.show(i);
    draw.over();
    say(note);
  }
  if (data.Page) stage.addEventListener("keydown", function (event) { if (event.key === "Escape") choose(-1); });
  stage.addEventListener("choose", function (event) { // from elsewhere on the page: a name
    var i = data.Names ? data.Names.indexOf(event.detail) : -1;
    if (i < 0) return;
    choose(i);
    stage.scrollIntoView({ block: "center", behavior: "smooth" });
  });

  var note = data.Views.some(function (v) { return v.Note; }) && ui.html(stage, "p", { style: "margin:4px 0;min-height:2.8em;white-space:pre-line;overflow-wrap:anywhere", "data-part": "note" });
  function explain() { if (note) note.textContent = view.Note || ""; }
  explain();
  var entries = ui.html(stage, "div", { style: "display:flex;flex-wrap:wrap;gap:2px 6px;margin:4px 0;min-height:1.9em;max-height:9.5em;overflow:auto", "data-part": "legend" });
  function legend() {
    entries.textContent = "";
    var c = view.Colorings[by];
    if (!c.Labels) {
      ui.html(entries, "span", {}, c.RedLabel);
      ui.html(entries, "span", { style: "width:130px;height:12px;align-self:center;margin:0 4px;background:linear-gradient(90deg," + [0, 0.5, 1].map(shade).join(",") + ")" });
      ui.html(entries, "span", {}, c.BlueLabel);
      return;
    }
    var counts = c.Labels.map(function () { return 0; });
    c.Numbers.forEach(function (e) { counts[e]++; });
    counts.forEach(function (count, e) { if (count) entry(c, e, count); });
  }
  function entry(c, e, count) {
    var button = ui.html(entries, "button", { type: "button", "aria-pressed": only === e, "data-entry": e, title: "show these alone",
      style: "font:inherit;color:inherit;background:none;border:1px solid transparent;border-radius:4px;padding:1px 5px;display:inline-flex;gap:6px;align-items:center;cursor:pointer" });
    var svg = ui.svg(button, "svg", { viewBox: "-1.3 -1.3 2.6 2.6", "aria-hidden": true, style: "flex:none;width:14px;height:14px" });
    ui.svg(svg, "path", { d: data.Shapes ? data.Shapes[groupShape(c, e)] : "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z", fill: tone(groupColor(c, e)) });
    ui.html(button, "span", {}, c.Labels[e] + " (" + count + ")");
    if (only === e) button.style.borderColor = "currentColor";
    button.addEventListener("click", function () {
      only = only === e ? -1 : e;
      legend();
      entries.querySelector('[data-entry="' + e + '"]').focus();
      draw();
    });
  }

  var draw = ui.map(stage, points, {
    label: data.Title, height: 520, most: data.Page ? "none" : "58vh", color: color, over: over, front: front, shapes: data.Shapes, shape: data.Shapes ? shape : null,
    point: function (i) { if (i !== pointed) { pointed = i; draw.over(); say(); } },
    choose: function (i) { kept = i; pointed = -1; draw.over(); say(); }
  });
  var text = ui.line(stage);
  text.style.minHeight = "4.2em";
  text.style.overflowWrap = "anywhere";
  function active() { return pointed >= 0 ? pointed : kept; }
  // over draws the node that is meant, with its edges, over the map.
  function over(pen, x, y, zoom) {
    if (more) more.over(pen, x, y);
    var i = active(), radius = Math.min(14, 4 * Math.sqrt(zoom)), near = i < 0 ? [] : neighbors(i).slice(0, 2000);
    if (i < 0) return;
    function node(j, radius) {
      pen.fillStyle = color(j);
      pen.beginPath();
      pen.arc(x(j), y(j), radius, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
    }
    pen.lineWidth = 1.2;
    pen.globalAlpha = near.length > 50 ? 0.35 : 0.9;
    pen.beginPath();
    near.forEach(function (j) { pen.moveTo(x(i), y(i)); pen.lineTo(x(j), y(j)); });
    pen.stroke();
    pen.globalAlpha = 1;
    near.forEach(function (j) { node(j, 0.8 * radius); });
    pen.lineWidth = 2;
    node(i, radius + 2);
  }
  function say(note) {
    var i = active(), near = i < 0 ? [] : neighbors(i);
    text.textContent = "";
    if (i < 0) {
      text.textContent = note || "Point at a node to see what it is" + (ends ? " and its neighbors in the graph" : "") + ". A click keeps it, one beside it lets it go. To zoom: the buttons, Ctrl and the wheel, or two fingers; drag to move.";
      return;
    }
    ui.html(text, "b", {}, title(i));
    var said = view.Colorings.filter(function (c) { return !c.Unsaid && !c.Own; }).map(function (c) {
      if (!c.Labels) return c.Name + " " + minus((Number(value(c, i).toFixed(2)) + 0).toFixed(2)); // -0 + 0 is 0
      var label = c.Labels[c.Numbers[i]];
      return label.indexOf(c.Name) === 0 ? label : c.Name + " " + label;
    }).join(", ");
    if (ends) {
      said += "; " + near.length + (near.length === 1 ? " neighbor" : " neighbors");
      view.Colorings.forEach(function (c) {
        if (c.Name === "cluster") said += ", " + near.filter(function (j) { return c.Numbers[j] === c.Numbers[i]; }).length + " in the same cluster";
      });
    }
    ui.html(text, "span", {}, (data.Names && data.Numbered ? " (node " + i + ")" : title(i) !== name(i) ? " (" + name(i) + ")" : "") + ": " + said + "." + (note || ""));
    if (more && i === kept) more.list(text, i);
    if (i !== kept || !near.length) return;
    var list = ui.html(text, "span", { style: "display:block" });
    near.slice(0, 40).forEach(function (j) {
      ui.html(list, "button", { type: "button", style: "font:inherit;padding:0 6px;margin:2px 2px 0 0;text-align:left" }, title(j)).addEventListener("click", function () { choose(j); });
    });
    if (near.length > 40) ui.html(list, "span", {}, " and " + (near.length - 40) + " more");
  }
  dark.addEventListener("change", legend);
  legend();
  if (ui.mapPage && data.Page) {
    more = ui.mapPage({
      stage: stage, controls: controls, data: data, draw: draw, name: name, title: title, active: active, front: front, color: paperColor, shape: shape,
      groupColor: groupColor, groupShape: groupShape, shade: shade, view: function () { return view; }, coloring: function () { return view.Colorings[by]; }
    });
    draw.over();
  }
  say();
  return draw.resize;
