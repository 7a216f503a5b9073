// Runs inside slides, in a frame, goes through them and tells the page around it what
// it found.
(function () {
  "use strict";
  var errors = [], opened = "";
  addEventListener("error", function (e) { errors.push(e.message); });
  addEventListener("securitypolicyviolation", function (e) { errors.push(e.violatedDirective + " " + e.blockedURI); });
  window.open = function (address) { opened = address; return parent; };
  function shown(element) {
    return !!element && element.checkVisibility({ visibilityProperty: true });
  }
  function look(slide) {
    var box = slide.getBoundingClientRect();
    slide.scrollTop = 1e6;
    var last = slide.lastElementChild;
    while (last.matches("aside")) last = last.previousElementSibling;
    var number = document.querySelector(".slide-number").getBoundingClientRect();
    return {
      Covered: Array.from(document.querySelectorAll(".controls .enabled")).some(function (arrow) {
        var at = arrow.getBoundingClientRect();
        return at.left < number.right && at.right > number.left && at.top < number.bottom && at.bottom > number.top;
      }),
      Heading: slide.querySelector("h1, h2, h3").textContent.replace(/¶$/, ""),
      Inside: box.left >= 0 && box.top >= 0 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1 && box.height > innerHeight / 2,
      Wide: slide.scrollWidth - slide.clientWidth,
      Tall: slide.scrollHeight > slide.clientHeight + 1,
      End: last.getBoundingClientRect().bottom <= box.bottom + 1,
      Text: parseFloat(getComputedStyle(slide).fontSize) * box.width / slide.offsetWidth
    };
  }
  function press(code) {
    var event = new KeyboardEvent("keydown", { keyCode: code, bubbles: true });
    Object.defineProperty(event, "keyCode", { value: code });
    document.dispatchEvent(event);
  }
  function run() {
    var fragment = document.querySelector(".fragment"), hidden = !shown(fragment);
    var notes = document.querySelector(".speaker-notes");
    var found = {
      Title: document.title,
      Notes: shown(notes) ? notes.textContent : "",
      Page: getComputedStyle(document.body).backgroundColor,
      Scroll: document.documentElement.scrollWidth - innerWidth,
      Slides: [look(Reveal.getCurrentSlide())]
    };
    press(83); // S
    press(32); // space
    found.Fragment = hidden && shown(fragment);
    for (press(32); found.Slides.length < 20; press(32)) {
      found.Slides.push(look(Reveal.getCurrentSlide()));
      if (Reveal.isLastSlide()) break;
    }
    var slider = document.getElementById("slider");
    slider.value = 7;
    slider.dispatchEvent(new Event("input"));
    found.Bar = document.getElementById("bar").getAttribute("width");
    found.Slider = shown(slider);
    found.Opened = opened;
    parent.postMessage({ ask: { indexh: 1, indexv: 0 } }, "*");
    setTimeout(function () { finish(found); }, 500);
  }
  function finish(found) {
    found.Followed = Reveal.getState().indexh === 1;
    Reveal.slide(1, 0);
    var details = document.querySelector(".present details:not(.folded)"), inner = details.querySelector("math[display=block]");
    found.Folded = !shown(inner);
    details.querySelector("summary").click();
    found.Unfolded = shown(inner);
    found.Loaded = performance.getEntriesByType("resource").map(function (r) { return r.name.slice(0, 80); }).filter(function (n) { return n.slice(0, 5) !== "data:"; }).join();
    found.Errors = errors.join("; ");
    parent.postMessage(found, "*");
  }
  if (Reveal.isReady()) setTimeout(run, 500); else Reveal.on("ready", function () { setTimeout(run, 500); });
})();
