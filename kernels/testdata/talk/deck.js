// Runs inside a deck, in a frame, goes through its slides with all their steps, and tells
// the page around it what it found.
(function () {
  "use strict";
  var errors = [];
  addEventListener("error", function (e) { errors.push(e.message); });
  addEventListener("securitypolicyviolation", function (e) { errors.push(e.violatedDirective + " " + e.blockedURI); });

  // The size of an element's text on the screen, in pixels.
  function pixels(element, slide) {
    var size = parseFloat(getComputedStyle(element).fontSize), svg = element.closest("svg");
    if (svg) {
      var m = element.getScreenCTM();
      return size * Math.hypot(m.a, m.b);
    }
    return size * slide.getBoundingClientRect().height / slide.offsetHeight;
  }
  function look(slide) {
    var least = 1000, where = "";
    slide.querySelectorAll("*").forEach(function (element) {
      var own = Array.from(element.childNodes).some(function (n) { return n.nodeType === 3 && n.textContent.trim(); });
      // Indices of formulas are small everywhere.
      if (!own || element.closest("aside, math, script, style, .anchor-link, option") || !element.checkVisibility({ visibilityProperty: true })) return;
      var size = pixels(element, slide);
      if (size < least) { least = size; where = element.textContent.trim().slice(0, 40); }
    });
    return {
      Heading: slide.querySelector("h1, h2").textContent.replace(/¶$/, ""),
      Tall: slide.scrollHeight - slide.clientHeight,
      Wide: slide.scrollWidth - slide.clientWidth,
      Least: least, Where: where,
      Figures: Array.from(slide.querySelectorAll(".plate")).map(function (f) { return f.getBoundingClientRect().width / innerWidth; })
    };
  }
  function run() {
    var found = { Title: document.title, Slides: [] };
    Reveal.getSlides().forEach(function (slide) {
      var at = Reveal.getIndices(slide);
      Reveal.slide(at.h, at.v, 99);
      found.Slides.push(look(slide));
    });
    found.Errors = errors.join("; ");
    parent.postMessage(found, "*");
  }
  if (Reveal.isReady()) setTimeout(run, 500); else Reveal.on("ready", function () { setTimeout(run, 500); });
})();
