// ui.mapPage adds to a map that has a page of its own: the clusters' names on the map, what
// is known of a node beside its dot, and buttons that save. It returns {over, list}, which
// draw over the map and list a node's own columns.
ui.mapPage = function (map) {
  var data = map.data, n = data.N, draw = map.draw, named = true;
  var own = map.view().Colorings.filter(function (c) { return c.Own; });

  function short(text, most) { return text.length > most ? text.slice(0, most - 1) + "\u2026" : text; }
  // exact returns what a column has of a node, as the user wrote it.
  function exact(c, i) {
    if (c.Texts) return c.Texts[i];
    if (c.Words) return c.Codes[i] < c.Words.length ? c.Words[c.Codes[i]] : "";
    if (c.Labels) return c.Unknown && c.Numbers[i] === c.Labels.length - 1 ? "" : c.Labels[c.Numbers[i]];
    return c.Values[i] === null ? "" : String(c.Values[i]);
  }
  function said(c, i) { return c.Own || c.Labels ? exact(c, i) : c.Values[i].toFixed(2).replace("-", "\u2212"); }
  function list(parent, i, columns, most) {
    var dl = ui.html(parent, "dl", { style: "display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 10px;margin:4px 0 0" });
    columns.forEach(function (c) {
      if (said(c, i) === "") return;
      ui.html(dl, "dt", { style: "opacity:.8;overflow-wrap:anywhere;max-width:11em" }, short(c.Name, 60));
      ui.html(dl, "dd", { style: "margin:0;overflow-wrap:anywhere" }, short(said(c, i), most));
    });
  }

  // The names are at the clusters' medians, those of larger clusters first.
  function centers(view) {
    if (view.centers) return view.centers;
    var c = view.Colorings.filter(function (c) { return c.Name === "cluster"; })[0], x = c.Labels.map(function () { return []; }), y = c.Labels.map(function () { return []; });
    for (var i = 0; i < n; i++) { x[c.Numbers[i]].push(i); y[c.Numbers[i]].push(i); }
    function middle(nodes, at) { return nodes.sort(function (a, b) { return at[a] - at[b]; })[nodes.length >> 1]; }
    return view.centers = c.Labels.map(function (text, e) {
      return { e: e, text: text, size: x[e].length, x: middle(x[e], view.X), y: middle(y[e], view.Y) };
    }).filter(function (l) { return l.size; }).sort(function (a, b) { return b.size - a.size; });
  }
  // labels returns the names that fit, with their places.
  function labels(pen, x, y, width, height) {
    var taken = [], c = map.coloring();
    return named ? centers(map.view()).map(function (l) {
      var at = { x: x(l.x), y: y(l.y) }, texts = [short(l.text, width < 600 ? 18 : 34), String(l.e)], here = c.Name !== "cluster" || map.front(l.x);
      for (var k = 0; here && k < 2; k++) {
        var half = pen.measureText(texts[k]).width / 2 + 3, left = Math.max(half, Math.min(width - half, at.x));
        var free = at.x > 0 && at.y > 0 && at.x < width && at.y < height && taken.every(function (t) { return Math.abs(t[0] - left) > t[2] + half || Math.abs(t[1] - at.y) > 16; });
        if (!free) continue;
        taken.push([left, at.y, half]);
        return { x: left, y: Math.max(10, Math.min(height - 10, at.y)), text: texts[k] };
      }
    }).filter(Boolean) : [];
  }
  var font = "600 13px system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif";

  var tip = ui.html(draw.frame, "div", { class: "agekit-tip", "aria-hidden": true, // the line below the map says it, too
    style: "position:absolute;display:none;pointer-events:none;z-index:1;max-width:min(320px,85%);max-height:calc(100% - 8px);overflow:hidden;padding:6px 10px;border:1px solid;border-radius:6px;font-size:.86em;line-height:1.35;background:var(--paper,#fff)" });
  var tipped = -1;
  function showTip(i, x, y, width, height) {
    tip.style.display = i < 0 || x < 0 || y < 0 || x > width || y > height ? "none" : "";
    if (tip.style.display) return;
    if (i !== tipped) {
      tip.textContent = "";
      ui.html(tip, "b", { style: "overflow-wrap:anywhere" }, short(map.title(i), 160));
      if (map.title(i) !== map.name(i)) ui.html(tip, "div", { style: "opacity:.8" }, short(map.name(i), 80));
      list(tip, i, map.view().Colorings.slice(0, 16), 90);
      tipped = i;
    }
    var w = tip.offsetWidth, h = tip.offsetHeight;
    tip.style.left = Math.max(4, x + 16 + w < width ? x + 16 : x - 16 - w) + "px";
    tip.style.top = Math.max(4, Math.min(height - h - 4, y + 10)) + "px";
  }

  // picture returns the map as it is shown, with its legend, as SVG on white paper.
  function picture() {
    var p = draw.picture(), c = map.coloring(), dots = {}, parts = [], row = 20, side = p.width + 20, r = p.radius.toFixed(2);
    function xml(text) {
      return String(text).replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, "").replace(/[&<>"]/g, function (s) { return "&#" + s.charCodeAt(0) + ";"; });
    }
    function text(x, y, said, more) { parts.push('<text x="' + x.toFixed(1) + '" y="' + y.toFixed(1) + '"' + (more || "") + ">" + xml(said) + "</text>"); }
    for (var i = 0; i < n; i++) {
      var x = p.x(i), y = p.y(i);
      if (x < 0 || y < 0 || x > p.width || y > p.height) continue;
      var shape = p.behind[i] ? 0 : map.shape(i), key = (p.behind[i] ? "0#dde1e6" : "1" + map.color(i));
      (dots[key] = dots[key] || []).push(shape ? '<path transform="translate(' + x.toFixed(1) + " " + y.toFixed(1) + ") scale(" + r + ')" d="' + data.Shapes[shape] + '"/>' :
        '<circle cx="' + x.toFixed(1) + '" cy="' + y.toFixed(1) + '" r="' + r + '"/>');
    }
    Object.keys(dots).sort().forEach(function (key) { parts.push('<g fill="' + key.slice(1) + '">' + dots[key].join("") + "</g>"); });
    var pen = document.createElement("canvas").getContext("2d");
    pen.font = font;
    labels(pen, p.x, p.y, p.width, p.height).forEach(function (l) {
      text(l.x, l.y + 4.5, l.text, ' text-anchor="middle" font-weight="600" stroke="#fff" stroke-width="3.5" stroke-linejoin="round" paint-order="stroke"');
    });
    var wide = 300;
    text(side, row, c.Name, ' font-weight="600"');
    if (c.Labels) {
      var counts = c.Labels.map(function () { return 0; });
      c.Numbers.forEach(function (e) { counts[e]++; });
      counts.forEach(function (count, e) {
        if (!count) return;
        row += 20;
        parts.push('<path transform="translate(' + (side + 6) + " " + (row - 4.5) + ') scale(5.5)" d="' + data.Shapes[map.groupShape(c, e)] + '" fill="' + map.groupColor(c, e) + '"/>');
        var said = short(c.Labels[e], 60) + " (" + count + ")";
        text(side + 18, row, said);
        wide = Math.max(wide, 18 + 1.1 * pen.measureText(said).width); // others have other letters
      });
    } else {
      parts.push('<defs><linearGradient id="scale">' + [0, 0.5, 1].map(function (at) { return '<stop offset="' + at + '" stop-color="' + map.shade(at) + '"/>'; }).join("") + "</linearGradient></defs>");
      text(side, row += 22, c.RedLabel);
      parts.push('<rect x="' + side + '" y="' + (row + 8) + '" width="160" height="12" fill="url(#scale)"/>');
      text(side, row += 38, c.BlueLabel);
    }
    var width = Math.round(side + wide), height = Math.max(p.height, row + 14);
    return { width: width, height: height, svg: '<svg xmlns="http://www.w3.org/2000/svg" width="' + width + '" height="' + height + '" viewBox="0 0 ' + width + " " + height +
      '" font-family="system-ui, Liberation Sans, Arial, sans-serif" font-size="13" fill="#1d2126"><title>' + xml(document.title) + '</title><rect width="100%" height="100%" fill="#fff"/>' + parts.join("\n") + "</svg>\n" };
  }
  // table returns the nodes that are not faded, as CSV.
  function table() {
    var columns = [[data.IDName || "id", map.name]], view = map.view().Colorings;
    if (data.Titles) columns.push([data.TitleName, function (i) { return data.Titles[i]; }]);
    own.concat(view.filter(function (c) { return !c.Own; })).forEach(function (c) {
      columns.push([c.Name, function (i) { return c.Name === "cluster" ? c.Numbers[i] : exact(c, i); }]);
      if (c.Name === "cluster") columns.push(["cluster name", function (i) { return data.Clusters[c.Numbers[i]] || ""; }]);
    });
    // A cell that a spreadsheet would run as a formula gets an apostrophe, as in nodes.csv.
    function guarded(text) { return /^'*\s*([=＝]|[-+@＋－＠].*[(|!])/s.test(text) ? "'" + text : text; }
    function field(text) { text = guarded(text); return /[",\r\n]/.test(text) ? '"' + String(text).replace(/"/g, '""') + '"' : text; }
    var lines = [columns.map(function (c) { return field(c[0]); }).join(",")];
    for (var i = 0; i < n; i++) if (map.front(i)) lines.push(columns.map(function (c) { return field(c[1](i)); }).join(","));
    return lines.join("\n") + "\n";
  }
  function save(blob, ending) {
    var a = document.createElement("a");
    a.href = URL.createObjectURL(blob);
    a.download = (document.title.replace(/:.*/, "").replace(/[^\w.-]+/g, "-") || "map") + ending;
    a.click();
    setTimeout(function () { URL.revokeObjectURL(a.href); }, 60000);
  }
  var row = ui.controls(map.stage);
  ui.button(row, "save PNG", function () {
    var p = picture(), image = new Image(), address = URL.createObjectURL(new Blob([p.svg], { type: "image/svg+xml" }));
    image.onload = function () {
      var canvas = document.createElement("canvas");
      canvas.width = 2 * p.width;
      canvas.height = 2 * p.height;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(address);
      canvas.toBlob(function (blob) { save(blob, "-map.png"); });
    };
    image.src = address;
  });
  ui.button(row, "save SVG", function () { save(new Blob([picture().svg], { type: "image/svg+xml" }), "-map.svg"); });
  ui.button(row, "save CSV", function () { save(new Blob([table()], { type: "text/csv" }), "-nodes.csv"); });
  var label = ui.html(map.controls, "label", { style: "display:inline-flex;gap:6px;align-items:center" }), box = ui.html(label, "input", { type: "checkbox", "data-name": "names" });
  ui.html(label, "span", {}, "names on the map");
  box.checked = true;
  box.addEventListener("change", function () { named = box.checked; draw.over(); });

  return {
    over: function (pen, x, y) {
      var width = draw.frame.clientWidth, height = draw.frame.clientHeight, i = map.active(), style = getComputedStyle(draw.frame);
      pen.save();
      pen.font = font;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.lineJoin = "round";
      pen.lineWidth = 3.5;
      pen.strokeStyle = style.getPropertyValue("--paper").trim() || "#fff";
      pen.fillStyle = style.color;
      labels(pen, x, y, width, height).forEach(function (l) { pen.strokeText(l.text, l.x, l.y); pen.fillText(l.text, l.x, l.y); });
      pen.restore();
      if (i < 0) showTip(-1);
      else showTip(i, x(i), y(i), width, height);
    },
    list: function (parent, i) { if (own.length) list(parent, i, own, 2000); }
  };
};
