// Runs inside a page that is laid out as for paper, and tells the page around it
// whether what is folded on a screen is there.
addEventListener("load", function () {
  parent.postMessage({
    Title: document.title,
    Heights: Array.from(document.querySelectorAll("details"), function (d) {
      return d.getBoundingClientRect().height - d.querySelector("summary").getBoundingClientRect().height;
    })
  }, "*");
});
