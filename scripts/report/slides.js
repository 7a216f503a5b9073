// Starts reveal.js. S opens a window with the speaker notes, which is this page with
// ?notes; the two windows follow each other.
(function () {
  "use strict";
  var speaking = /[?&]notes\b/.test(location.search);
  var other = speaking ? window.opener : null;
  var led = false; // by the other window, which must not hear of it: its slide may be another by then
  var root = document.documentElement, deck = document.querySelector(".reveal");

  // A large window shows each slide as a whole, scaled, and as wide as the window is, from
  // an old projector to a new one. On a phone that would be too small to read: there,
  // text has its usual size and slides scroll.
  function size() {
    root.classList.toggle("narrow", deck.offsetWidth < 700);
    return root.classList.contains("narrow")
      ? { width: "100%", height: "100%", margin: 0, minScale: 1, maxScale: 1 }
      : deck.classList.contains("deck")
      ? { width: 1316, height: 740, margin: 0, minScale: 0.2, maxScale: 4 } // slides.css counts on it
      : { width: Math.round(740 * Math.min(16 / 9, Math.max(4 / 3, deck.offsetWidth / innerHeight))), height: 740, margin: 0, minScale: 0.2, maxScale: 4 };
  }

  // Figures of the slide that is shown grow into the height that its text leaves, or shrink
  // a little; then the slide as a whole becomes a little smaller. So few slides have to scroll.
  function fit() {
    var slide = Reveal.getCurrentSlide();
    var figures = Array.from(slide.querySelectorAll(".plate:not(:has(input, script)) > :is(svg, img), .text img, .agekit-stage"));
    function reset() {
      slide.style.removeProperty("zoom");
      figures.forEach(function (figure) { figure.style.removeProperty("--wide"); });
    }
    reset();
    if (root.classList.contains("narrow")) return;
    if (deck.classList.contains("deck")) return; // slides.css says how large they are
    var widths = figures.map(function (figure) { return figure.clientWidth; });
    for (var zoom = 1; zoom > 0.73; zoom -= 0.05) {
      slide.style.zoom = zoom;
      for (var by = 2; by > (zoom < 0.78 ? 0.5 : 0.8); by -= 0.05) {
        figures.forEach(function (figure, i) { figure.style.setProperty("--wide", widths[i] * by + "px"); });
        if (slide.scrollHeight <= slide.clientHeight) return;
      }
    }
    reset();
  }

  function tell() {
    if (!led && other && !other.closed) other.postMessage({ slides: Reveal.getState() }, "*");
  }

  function heading(slide) {
    var found = slide && slide.querySelector("h1, h2, h3, h4");
    return found ? found.textContent.replace(/¶$/, "") : ""; // without the link to itself
  }

  // In the window for the speaker: the number of the slide, the next heading, the time.
  function status(started) {
    var all = Reveal.getSlides(), now = all.indexOf(Reveal.getCurrentSlide());
    var seconds = Math.floor((Date.now() - started) / 1000), next = heading(all[now + 1]);
    return (now + 1) + " of " + all.length + (next && ", next: " + next) + ", " +
      Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0");
  }

  root.classList.add("print-pdf"); // turns off reveal.css's rules for paper: ours are in slides.css
  root.classList.toggle("speaking", speaking);
  deck.classList.toggle("show-notes", speaking); // size needs it
  Reveal.initialize(Object.assign(size(), {
    showNotes: speaking,
    hash: true,
    center: false,
    slideNumber: "c/t",
    transition: "none",
    backgroundTransition: "none",
    scrollActivationWidth: 0,
    touch: false // it would keep slides from scrolling
  })).then(function () {
    Reveal.addKeyBinding({ keyCode: 83, key: "S", description: "Speaker notes" }, function () {
      if (!speaking) other = window.open(location.pathname + "?notes" + location.hash, "_blank", "width=1100,height=700");
    });
    ["slidechanged", "fragmentshown", "fragmenthidden"].forEach(function (event) { Reveal.on(event, tell); });
    addEventListener("message", function (event) {
      if (!other || event.source !== other || !event.data.slides) return;
      led = true;
      Reveal.setState(event.data.slides);
      led = false;
    });
    addEventListener("resize", function () { Reveal.configure(size()); fit(); });
    Reveal.on("slidechanged", fit);
    addEventListener("load", fit); // its pictures have a size now
    fit();
    if (speaking) {
      var line = document.body.appendChild(document.createElement("div")), started = Date.now();
      line.className = "status";
      setInterval(function () { line.textContent = status(started); }, 500);
    }
  });

  // A swipe to the side turns the page, unless it moves a slider or scrolls a table.
  var from = null;
  deck.addEventListener("touchstart", function (event) {
    var touch = event.touches[0];
    from = event.touches.length === 1 && !event.target.closest("input, select, .plate") ? [touch.clientX, touch.clientY] : null;
    for (var e = event.target; from && e !== deck; e = e.parentElement) {
      if (e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX === "auto") from = null;
    }
  }, { passive: true });
  deck.addEventListener("touchend", function (event) {
    var touch = event.changedTouches[0];
    var dx = from ? touch.clientX - from[0] : 0, dy = from ? touch.clientY - from[1] : 0;
    if (Math.abs(dx) < 60 || Math.abs(dx) < 2 * Math.abs(dy)) return;
    if (dx < 0) Reveal.next(); else Reveal.prev();
  });
})();
