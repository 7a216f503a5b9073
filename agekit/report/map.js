// The map of the report. Dots are stamped into the pixels of one canvas, which stays
// quick with 100,000 of them; what the pointer is at is drawn on a second one above.
(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("data").textContent);
  var stage = document.getElementById("stage");
  document.querySelectorAll(".node").forEach(function (b) { b.addEventListener("click", function () { chooseID(b.dataset.id); }); });
  if (!stage) return;

  function bytes(text) {
    var raw = atob(text), out = new Uint8Array(raw.length);
    for (var i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out;
  }
  function words(text) { return new Uint16Array(bytes(text).buffer); }
  function longs(text) { return text ? new Uint32Array(bytes(text).buffer) : null; }

  var n = data.N, X = words(data.X), Y = words(data.Y);
  var clusters = words(data.Clusters), classes = data.Classes ? words(data.Classes) : null;
  var confidence = data.Confidence ? bytes(data.Confidence) : null, outlier = data.Outlier ? bytes(data.Outlier) : null;
  var starts = longs(data.Starts), ends = longs(data.Ends);
  var numberOf = null; // index by id, made when it is first needed

  // What can have a color. A kind with entries has a legend of buttons; the others have
  // a scale from low to high.
  var kinds = [{ name: "cluster", of: function (i) { return clusters[i]; }, count: data.K, label: function (e) { return "cluster " + e; } }];
  if (classes) {
    kinds.push({ name: "class", of: function (i) { return classes[i] ? classes[i] - 1 : data.ClassNames.length; }, count: data.ClassNames.length + 1,
      label: function (e) { return e < data.ClassNames.length ? data.ClassNames[e] : "unknown"; } });
  }
  if (confidence) {
    kinds.push({ name: "confidence", share: function (i) { return Math.max(0, (confidence[i] - 127) / 127); }, low: "0 or less: between clusters", high: "1: sure" });
    kinds.push({ name: "outlier score", share: function (i) { return 1 - Math.max(0, Math.min(1, (outlier[i] - 100) / 40)); }, low: "4 or more: far from its cluster", high: "0 or less: typical" });
  }
  var kind = kinds[0], only = -1;
  function rgb(text) { return [1, 3, 5].map(function (p) { return parseInt(text.slice(p, p + 2), 16); }); }
  var colors = data.Colors.map(rgb), unknown = [150, 156, 164];
  function colorOf(i) {
    if (kind.share) {
      var s = kind.share(i), ends = s < 0.5 ? [[213, 94, 0], [170, 176, 184]] : [[170, 176, 184], [0, 114, 178]], part = s < 0.5 ? 2 * s : 2 * s - 1;
      return ends[0].map(function (c, k) { return Math.round(c + part * (ends[1][k] - c)); });
    }
    var e = kind.of(i);
    return kind.name === "class" && e === data.ClassNames.length ? unknown : colors[e % colors.length];
  }
  function front(i) { return only < 0 || kind.of(i) === only; }

  var dots = document.getElementById("dots"), over = document.getElementById("over");
  var pen = dots.getContext("2d"), top = over.getContext("2d");
  var width = 0, height = 0, sharp = 1, zoom = 1, centerX = 32768, centerY = 32768, image = null, packed = new Uint32Array(n), faded = 0;
  var pointed = -1, kept = -1, dark = window.matchMedia("(prefers-color-scheme: dark)");

  function scale() { return zoom * (Math.min(width, height) - 24) / 65535; }
  function px(i) { return width / 2 + (X[i] - centerX) * scale(); }
  function py(i) { return height / 2 - (Y[i] - centerY) * scale(); }

  // paint sets the dots' colors as pixels: in little-endian order, alpha first.
  function paint() {
    var gray = dark.matches ? [52, 58, 66] : [222, 226, 231];
    faded = (255 << 24 | gray[2] << 16 | gray[1] << 8 | gray[0]) >>> 0;
    for (var i = 0; i < n; i++) {
      var c = front(i) ? colorOf(i) : gray;
      packed[i] = (255 << 24 | c[2] << 16 | c[1] << 8 | c[0]) >>> 0;
    }
    draw();
  }

  function resize() {
    var box = stage.getBoundingClientRect();
    sharp = Math.max(1, Math.min(2, window.devicePixelRatio || 1));
    width = Math.max(50, Math.round(box.width));
    height = Math.max(50, Math.round(box.height));
    [dots, over].forEach(function (c) { c.width = width * sharp; c.height = height * sharp; });
    stage.style.setProperty("--ratio", width / height);
    image = pen.createImageData(dots.width, dots.height);
    drawNow(); // setting the size has cleared the canvas, and a page that is printed has no next frame
  }

  var waiting = false;
  function draw() { // at most once for each frame
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () { waiting = false; drawNow(); });
  }
  function drawNow() {
    var pixels = new Uint32Array(image.data.buffer), w = dots.width, h = dots.height;
    pixels.fill(0);
    var size = (n > 20000 ? 1.2 : n > 3000 ? 1.9 : 2.8) * Math.sqrt(zoom) * sharp, r = Math.min(14, Math.max(1, Math.round(size)));
    var spans = []; // half the width of the disk in each of its rows
    for (var dy = -r; dy <= r; dy++) spans.push(Math.floor(Math.sqrt((r + 0.35) * (r + 0.35) - dy * dy)));
    var s = scale() * sharp, left = w / 2 - centerX * s, bottom = h / 2 + centerY * s;
    for (var pass = only < 0 ? 1 : 0; pass < 2; pass++) {
      for (var i = 0; i < n; i++) {
        if (only >= 0 && (packed[i] === faded) === (pass === 1)) continue;
        var x = Math.round(left + X[i] * s), y = Math.round(bottom - Y[i] * s);
        if (x < -r || y < -r || x >= w + r || y >= h + r) continue;
        for (var k = 0; k < spans.length; k++) {
          var row = y + k - r;
          if (row < 0 || row >= h) continue;
          for (var q = row * w + Math.max(0, x - spans[k]), end = row * w + Math.min(w - 1, x + spans[k]); q <= end; q++) pixels[q] = packed[i];
        }
      }
    }
    pen.putImageData(image, 0, 0);
    mark();
  }

  function neighbors(i) { return starts ? Array.prototype.slice.call(ends, starts[i], starts[i + 1]) : []; }
  function active() { return pointed >= 0 ? pointed : kept; }

  // mark draws the node that is meant, with its edges.
  function mark() {
    var i = active(), ink = getComputedStyle(document.body).color;
    top.setTransform(sharp, 0, 0, sharp, 0, 0);
    top.clearRect(0, 0, width, height);
    if (i < 0) return;
    var r = Math.min(14, 4 * Math.sqrt(zoom));
    function disk(j, radius) {
      top.fillStyle = "rgb(" + colorOf(j).join(",") + ")";
      top.beginPath();
      top.arc(px(j), py(j), radius, 0, 2 * Math.PI);
      top.fill();
      top.stroke();
    }
    top.strokeStyle = ink;
    top.lineWidth = 1;
    var near = neighbors(i).slice(0, 2000);
    top.globalAlpha = near.length > 50 ? 0.35 : 0.8;
    top.beginPath();
    near.forEach(function (j) { top.moveTo(px(i), py(i)); top.lineTo(px(j), py(j)); });
    top.stroke();
    top.globalAlpha = 1;
    near.forEach(function (j) { disk(j, r * 0.7); });
    top.lineWidth = 2;
    disk(i, r + 2);
  }

  // A grid over the map finds the nodes near the pointer.
  var cells = 256, first = new Uint32Array(cells * cells + 1), inCell = new Uint32Array(n);
  function cell(i) { return (Y[i] >> 8) * cells + (X[i] >> 8); }
  (function () {
    for (var i = 0; i < n; i++) first[cell(i) + 1]++;
    for (var c = 0; c < cells * cells; c++) first[c + 1] += first[c];
    var next = first.slice();
    for (i = 0; i < n; i++) inCell[next[cell(i)]++] = i;
  })();
  function nearest(at) {
    var reach = 12, s = scale(), best = -1, closest = reach * reach;
    var x = (at[0] - width / 2) / s + centerX, y = centerY - (at[1] - height / 2) / s, d = reach / s;
    function bound(v) { return Math.max(0, Math.min(cells - 1, Math.floor(v / 256))); }
    for (var gy = bound(y - d); gy <= bound(y + d); gy++) {
      for (var p = first[gy * cells + bound(x - d)]; p < first[gy * cells + bound(x + d) + 1]; p++) {
        var i = inCell[p];
        if (only >= 0 && !front(i)) continue;
        var dx = (X[i] - x) * s, dy = (Y[i] - y) * s;
        if (dx * dx + dy * dy < closest) { closest = dx * dx + dy * dy; best = i; }
      }
    }
    return best;
  }

  var said = document.getElementById("said");
  function element(parent, tag, text) {
    var e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    parent.appendChild(e);
    return e;
  }
  function minus(text) { return text.replace("-", "\u2212"); }
  function say(note) {
    var i = active();
    said.textContent = "";
    if (i < 0) {
      element(said, "span", note || "Point at a dot to see what it is. A click keeps it and shows its neighbors. To zoom: the buttons, Ctrl and the wheel, or two fingers; drag to move.");
      return;
    }
    element(said, "b", data.IDs[i]);
    var text = " in cluster " + clusters[i];
    if (classes) text += ", class " + (classes[i] ? data.ClassNames[classes[i] - 1] : "unknown");
    if (confidence) text += "; confidence " + minus(((confidence[i] - 127) / 127).toFixed(2)) + ", outlier score " + minus(((outlier[i] - 100) / 10).toFixed(1));
    var near = neighbors(i), same = 0;
    near.forEach(function (j) { if (clusters[j] === clusters[i]) same++; });
    if (starts) text += "; " + near.length + (near.length === 1 ? " neighbor, " : " neighbors, ") + same + " in the same cluster";
    element(said, "span", text + "." + (note ? " " + note : ""));
    if (i !== kept || !near.length) return;
    var list = element(said, "div");
    near.slice(0, 40).forEach(function (j) { button(list, j); });
    if (near.length > 40) element(list, "span", " and " + (near.length - 40) + " more");
  }
  function button(parent, j) {
    var b = element(parent, "button", data.IDs[j]);
    b.type = "button";
    b.addEventListener("click", function () { choose(j, true); });
  }
  function choose(i, show, note) {
    kept = i;
    pointed = -1;
    if (i >= 0 && show && (px(i) < 10 || py(i) < 10 || px(i) > width - 10 || py(i) > height - 10)) {
      centerX = X[i];
      centerY = Y[i];
      draw();
    }
    mark();
    say(note);
  }
  function chooseID(id) {
    if (!stage) return;
    if (!numberOf) {
      numberOf = new Map();
      data.IDs.forEach(function (name, i) { numberOf.set(name, i); });
    }
    if (!numberOf.has(id)) return;
    choose(numberOf.get(id), true);
    stage.scrollIntoView({ block: "center", behavior: "smooth" });
  }

  var find = document.getElementById("find"), found = [];
  find.addEventListener("input", function () {
    var text = find.value.trim().toLowerCase();
    found = [];
    if (text) {
      var exact = -1;
      for (var i = 0; i < n && found.length < 1000; i++) {
        var name = data.IDs[i].toLowerCase();
        if (name === text) exact = i;
        else if (name.indexOf(text) >= 0) found.push(i);
      }
      if (exact >= 0) found.unshift(exact);
    }
    if (!text) choose(-1);
    else if (!found.length) choose(-1, false, "No id contains “" + text + "”.");
    else choose(found[0], true, found.length > 1 ? "One of " + (found.length < 1000 ? found.length : "1,000 or more") + "; Enter shows the next." : "");
  });
  find.addEventListener("keydown", function (event) {
    if (event.key !== "Enter" || !found.length) return;
    var next = (found.indexOf(kept) + 1) % found.length;
    choose(found[next], true, (next + 1) + " of " + found.length + ".");
  });

  var by = document.getElementById("by"), legend = document.getElementById("legend");
  kinds.forEach(function (k, i) { element(by, "option", k.name).value = i; });
  by.value = 0;
  by.addEventListener("change", function () { kind = kinds[+by.value]; only = -1; entries(); paint(); });
  function entries() {
    legend.textContent = "";
    if (kind.share) {
      element(legend, "span", kind.low);
      element(legend, "span").style.cssText = "width:140px;height:12px;align-self:center;margin:0 8px;background:linear-gradient(90deg,rgb(213,94,0),rgb(170,176,184),rgb(0,114,178))";
      element(legend, "span", kind.high);
      return;
    }
    var counts = new Array(kind.count).fill(0);
    for (var i = 0; i < n; i++) counts[kind.of(i)]++;
    counts.forEach(function (count, e) {
      if (!count) return;
      var b = element(legend, "button"), dot = element(b, "span");
      b.type = "button";
      b.title = "show these alone";
      b.setAttribute("aria-pressed", "false");
      dot.className = "dot";
      dot.style.background = "rgb(" + (kind.name === "class" && e === data.ClassNames.length ? unknown : colors[e % colors.length]).join(",") + ")";
      element(b, "span", kind.label(e) + " (" + count + ")");
      b.addEventListener("click", function () {
        only = only === e ? -1 : e;
        legend.querySelectorAll("button").forEach(function (other) { other.setAttribute("aria-pressed", only >= 0 && other === b); });
        paint();
      });
    });
  }

  function zoomAt(factor, x, y) {
    var before = scale();
    zoom = Math.max(0.8, Math.min(200, zoom * factor));
    var after = scale();
    centerX += (x - width / 2) * (1 / before - 1 / after);
    centerY -= (y - height / 2) * (1 / before - 1 / after);
    draw();
  }
  function move(dx, dy) {
    centerX = Math.max(0, Math.min(65535, centerX - dx / scale()));
    centerY = Math.max(0, Math.min(65535, centerY + dy / scale()));
    draw();
  }
  document.getElementById("in").addEventListener("click", function () { zoomAt(1.6, width / 2, height / 2); });
  document.getElementById("out").addEventListener("click", function () { zoomAt(1 / 1.6, width / 2, height / 2); });
  document.getElementById("whole").addEventListener("click", function () { zoom = 1; centerX = centerY = 32768; draw(); });

  var fingers = {}, moved = 0;
  over.style.touchAction = "pan-y";
  function place(event) {
    var box = over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
  function spread() {
    var f = Object.keys(fingers).map(function (id) { return fingers[id]; });
    return f.length < 2 ? 0 : Math.hypot(f[0][0] - f[1][0], f[0][1] - f[1][1]);
  }
  over.addEventListener("pointerdown", function (event) { fingers[event.pointerId] = place(event); moved = 0; });
  over.addEventListener("pointermove", function (event) {
    var at = place(event), before = fingers[event.pointerId];
    if (!before) {
      var i = nearest(at);
      if (i !== pointed) { pointed = i; mark(); say(); }
      return;
    }
    var wide = spread();
    moved += Math.hypot(at[0] - before[0], at[1] - before[1]);
    fingers[event.pointerId] = at;
    if (wide > 0) zoomAt(spread() / wide, at[0], at[1]);
    else if (event.pointerType === "mouse" || zoom > 1) move(at[0] - before[0], at[1] - before[1]);
    over.style.touchAction = zoom > 1 ? "none" : "pan-y";
  });
  over.addEventListener("pointerup", function (event) {
    if (moved < 6) choose(nearest(place(event)));
    delete fingers[event.pointerId];
  });
  ["pointercancel", "pointerleave"].forEach(function (name) {
    over.addEventListener(name, function (event) {
      delete fingers[event.pointerId];
      if (pointed >= 0) { pointed = -1; mark(); say(); }
    });
  });
  over.addEventListener("wheel", function (event) {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    var at = place(event);
    zoomAt(Math.exp(-event.deltaY / 250), at[0], at[1]);
  }, { passive: false });
  over.addEventListener("keydown", function (event) {
    var step = { ArrowRight: [-40, 0], ArrowLeft: [40, 0], ArrowDown: [0, -40], ArrowUp: [0, 40] }[event.key];
    if (step) move(step[0], step[1]);
    else if (event.key === "+" || event.key === "=") zoomAt(1.5, width / 2, height / 2);
    else if (event.key === "-") zoomAt(1 / 1.5, width / 2, height / 2);
    else return;
    event.preventDefault();
  });
  dark.addEventListener("change", paint);
  new ResizeObserver(resize).observe(stage);

  entries();
  resize();
  paint();
  say();
})();
