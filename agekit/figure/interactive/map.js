  var n = data.Views[0].X.length, view = data.Views[data.Start], by = 0, only = -1;
  var pointed = -1, kept = -1; // the node under the pointer, and the one that was clicked or found
  var points = { x: view.X, y: view.Y };
  var neighbors = view.X.map(function () { return []; });
  data.Later.forEach(function (later, i) { later.forEach(function (j) { neighbors[i].push(j); neighbors[j].push(i); }); });

  function name(i) { return data.Names ? data.Names[i] : "node " + i; }
  function className(c) { return data.ClassNames[c]; }
  function clusterName(c) { return data.Matched && c < data.ClassNames.length ? "cluster of " + className(c) : "cluster " + c; }
  function agrees(i) { return view.Clusters[i] === data.Classes[i]; }
  // From vermilion for 0 or less over gray to blue for the highest confidence.
  function sureness(share) {
    var ends = [[213, 94, 0], [196, 200, 206], [0, 114, 178]], k = share < 0.5 ? 0 : 1;
    return "rgb(" + ends[k].map(function (c, channel) { return Math.round(c + (ends[k + 1][channel] - c) * (2 * share - k)); }).join(",") + ")";
  }
  // What can have a color: of(i) is the entry of the legend for node i.
  var kinds = [{ name: "cluster", of: function (i) { return view.Clusters[i]; }, label: clusterName, entries: data.Clusters }, { name: "confidence" }];
  if (data.Classes) {
    kinds.unshift({ name: "class", of: function (i) { return data.Classes[i]; }, label: className, entries: data.ClassNames.length });
  }
  if (data.Matched) {
    kinds.push({ name: "agreement", of: function (i) { return agrees(i) ? 0 : 1; }, entries: 2,
      label: function (e) { return e ? "in another class's cluster" : "in its class's cluster"; } });
  }
  function shown(i) { return only < 0 || kinds[by].of(i) === only; }
  function color(i) {
    if (!kinds[by].of) return sureness(Math.max(0, Math.min(1, view.Confidence[i] / view.Highest)));
    return shown(i) ? ui.color(kinds[by].of(i)) : "#dde1e6";
  }

  var controls = ui.controls(stage);
  ui.choice(controls, { name: "map", options: data.Views.map(function (v) { return v.Name; }), value: data.Start }, function (i) {
    view = data.Views[i];
    points.x = view.X;
    points.y = view.Y;
    draw.moved();
    say();
  });
  ui.choice(controls, { name: "color", options: kinds.map(function (k) { return k.name; }) }, function (i) {
    by = i;
    only = -1;
    legend();
    draw();
  });
  var find = ui.html(ui.html(controls, "label", { style: "display:inline-flex;gap:8px;align-items:center;color:#222" }, "find"), "input",
    { type: "search", placeholder: "name or number", "data-name": "find", "data-lm-suppress-shortcuts": true, style: "font:inherit;color:#222;background:#fff;width:11em" });
  function matches() {
    var text = find.value.trim().toLowerCase();
    if (/^[0-9]+$/.test(text)) return +text < n ? [+text] : [];
    return text ? points.x.map(function (_, i) { return i; }).filter(function (i) { return name(i).toLowerCase().indexOf(text) >= 0; }) : [];
  }
  find.addEventListener("input", function () { var found = matches(); choose(found.length ? found[0] : -1, found.length); });
  find.addEventListener("keydown", function (event) {
    event.stopPropagation(); // Jupyter has commands on single letters; older ones know the attribute
    if (event.key !== "Enter") return;
    var found = matches();
    choose(found.length ? found[(found.indexOf(kept) + 1) % found.length] : -1, found.length);
  });
  function choose(i, count) {
    kept = i;
    pointed = -1;
    if (i >= 0) draw.whole(); // or it might lie outside
    draw();
    say(find.value.trim() === "" || count === 1 ? "" : count ? " (one of " + count + " found; Enter shows the next)" : "Nothing found.");
  }

  var entries = ui.html(stage, "div", { style: "display:flex;flex-wrap:wrap;gap:2px 6px;margin:4px 0;min-height:1.9em" });
  function legend() {
    entries.textContent = "";
    var kind = kinds[by];
    if (!kind.of) {
      ui.html(entries, "span", { style: "width:130px;height:12px;align-self:center;background:linear-gradient(90deg," + [0, 0.5, 1].map(sureness).join(",") + ")" });
      ui.html(entries, "span", {}, "from 0 or less (between clusters) to " + (view.Highest / 100).toFixed(2) + " (sure)");
      return;
    }
    for (var e = 0; e < kind.entries; e++) entry(kind, e);
  }
  function entry(kind, e) {
    var button = ui.html(entries, "button", { type: "button", "aria-pressed": false, "data-entry": e, title: "show these alone",
      style: "font:inherit;color:#222;background:none;border:1px solid transparent;border-radius:4px;padding:1px 5px;display:inline-flex;gap:6px;align-items:center;cursor:pointer" });
    ui.html(button, "span", { style: "width:11px;height:11px;border-radius:50%;background:" + ui.color(e) });
    ui.html(button, "span", {}, kind.label(e));
    button.addEventListener("click", function () {
      only = only === e ? -1 : e;
      entries.querySelectorAll("button").forEach(function (b, k) {
        b.setAttribute("aria-pressed", k === only);
        b.style.borderColor = k === only ? "#222" : "transparent";
      });
      draw();
    });
  }

  var draw = ui.map(stage, points, {
    label: data.Title, height: 520, color: color, front: shown, over: over,
    point: function (i) { if (i !== pointed) { pointed = i; draw(); say(); } },
    click: function (i) { kept = i; draw(); say(); },
    beside: function () { kept = pointed = -1; draw(); say(); }
  });
  var text = ui.line(stage);
  text.style.minHeight = "4.2em";
  function active() { return pointed >= 0 ? pointed : kept; }
  // over draws the edges of a node over the map.
  function over(pen, x, y, zoom) {
    var i = active(), grown = Math.sqrt(zoom);
    if (i < 0) return;
    function node(j, radius) {
      pen.fillStyle = color(j);
      pen.beginPath();
      pen.arc(x(j), y(j), radius * grown, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
    }
    pen.strokeStyle = "#222";
    pen.lineWidth = 1.2;
    neighbors[i].forEach(function (j) {
      pen.beginPath();
      pen.moveTo(x(i), y(i));
      pen.lineTo(x(j), y(j));
      pen.stroke();
    });
    neighbors[i].forEach(function (j) { node(j, 3.6); });
    pen.lineWidth = 2;
    node(i, 6);
  }
  function say(after) {
    var i = active(), same = 0;
    if (i < 0) {
      text.textContent = after || "Point at a node to see what it is and its neighbors in the graph. A click keeps it, one beside it lets it go. To zoom: the buttons, Ctrl and the wheel, or two fingers.";
      return;
    }
    neighbors[i].forEach(function (j) { if (view.Clusters[j] === view.Clusters[i]) same++; });
    text.textContent = name(i) + (data.Names ? " (node " + i + ")" : "") + (data.Classes ? ", class " + className(data.Classes[i]) : "") +
      ": in the " + clusterName(view.Clusters[i]) + ", confidence " + (view.Confidence[i] / 100).toFixed(2).replace("-", "\u2212") + "; " +
      neighbors[i].length + (neighbors[i].length === 1 ? " neighbor, " : " neighbors, ") + same + " in the same cluster." + (after || "");
  }
  legend();
  say();
