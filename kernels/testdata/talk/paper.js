// Runs inside a page that is laid out as for paper, and tells the page around it
// whether what is folded on a screen is there, and the speaker notes are not.
addEventListener("load", function () {
  parent.postMessage({
    Title: document.title,
    Spoken: document.querySelector(".spoken").checkVisibility(),
    Heights: Array.from(document.querySelectorAll("details:not(.spoken)"), function (d) {
      return d.getBoundingClientRect().height - d.querySelector("summary").getBoundingClientRect().height;
    })
  }, "*");
});
