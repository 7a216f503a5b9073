document.querySelectorAll(".node").forEach(function (button) {
  button.addEventListener("click", function () {
    var stage = document.querySelector(".agekit-stage");
    if (stage) stage.dispatchEvent(new CustomEvent("choose", { detail: button.dataset.id }));
  });
});
