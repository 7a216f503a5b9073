"""The pictures of a notebook as somebody sees them who opens it."""

import base64
import json

# Each output with pictures, and each picture in a text: what kinds they are, and
# whether all of them are drawn in a size that shows something. Marks of a legend, which
# readers of the page do not hear of, are no pictures.
VISIBLE = """e => { const box = e.getBoundingClientRect();
  return box.width >= 200 && box.height >= 100 && (e.tagName !== 'IMG' || e.complete && e.naturalWidth > 0); }"""
PICTURES = """selector => { const visible = %s;
  return [...document.querySelectorAll(selector)].map(output => {
    const all = output.matches('img') ? [output] : [...output.querySelectorAll('svg:not([aria-hidden]), img, canvas')].filter(e => !e.parentElement.closest('svg'));
    return { kinds: all.map(e => (e.src || '').startsWith('data:image/svg') ? 'svg' : e.tagName.toLowerCase()), visible: all.length > 0 && all.every(visible) };
  }).filter(o => o.kinds.length > 0); }""" % VISIBLE
OUTPUTS = ".jp-OutputArea-output"
TEXTS = ".jp-MarkdownOutput img"
# The mean brightness of a picture's pixels, from 0 to 1.
BRIGHTNESS = """async png => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + png;
  await image.decode();
  const drawn = new OffscreenCanvas(image.width, image.height).getContext('2d');
  drawn.drawImage(image, 0, 0);
  const bytes = drawn.getImageData(0, 0, image.width, image.height).data;
  return bytes.reduce((sum, b, i) => i % 4 === 3 ? sum : sum + b, 0) / (bytes.length / 4 * 3 * 255);
}"""


def outputs_with_pictures(path):
    """The number of outputs with a picture, and of pictures in text cells."""
    outputs = texts = 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            html = "".join(data.get("text/html", ""))
            outputs += bool({"image/png", "image/svg+xml"} & set(data)) or "<svg" in html or "<img" in html
        if cell["cell_type"] == "markdown":
            texts += "".join(cell["source"]).count("](figures/")
    return outputs, texts


def waiting(page, path):
    """Shows what a notebook keeps until the reader has answered, and returns what is wrong:
    an answer that was there from the start, or none that appears."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    hidden = sum("hide-output" in c["metadata"].get("tags", []) for c in cells)
    folded = sum("<summary>Reveal</summary>" in "".join(c["source"]) for c in cells)
    found = [page.locator(".jp-OutputPlaceholder").count(), page.locator(".jp-MarkdownOutput details:not([open]) > summary:text-is('Reveal')").count()]
    lines = {line.strip() for line in page.locator(".jp-OutputPlaceholder").all_inner_texts()} - {"Reveal: click"}
    for _ in range(found[0]):
        page.locator(".jp-OutputPlaceholder").first.click()
    page.evaluate("document.querySelectorAll('.jp-MarkdownOutput details').forEach(d => { d.open = true; })")
    page.wait_for_timeout(500)
    wrong = [f"in the place of an output stands {line!r}" for line in sorted(lines)]
    return wrong if found == [hidden, folded] else [*wrong, f"{found} answers wait for the reader, want {[hidden, folded]}"]


def check(page, path, trusted):
    """Returns the number of pictures on the page, and what is wrong with them."""
    page.wait_for_timeout(2000)  # scripts of outputs, images of texts
    wrong, all_found = [] if trusted else waiting(page, path), 0
    outputs = page.evaluate(PICTURES, OUTPUTS)
    for name, found, want in zip(("outputs", "text"), (outputs, page.evaluate(PICTURES, TEXTS)), outputs_with_pictures(path)):
        visible = sum(o["visible"] for o in found)
        all_found += len(found)
        if visible != want or visible != len(found):
            wrong.append(f"{want} pictures in the {name}, {len(found)} on the page, {visible} of them visible")
    drawn = sum(kind in ("svg", "canvas") for o in outputs for kind in o["kinds"])
    if trusted and not drawn and "svg" in path.read_text(encoding="utf-8"):
        wrong.append("trusted, but no picture is drawn by the browser")
    if not trusted and drawn:
        wrong.append(f"{drawn} pictures are drawn by the browser: the notebook was trusted, and nothing was tested")
    return all_found, wrong


def in_the_dark(page):
    """Returns which pictures on a page stay white slabs in JupyterLab's dark theme. Only the
    theme's mark, by which the style sheet goes, and its backgrounds are set: opening all
    again would take minutes."""
    page.evaluate("""() => { document.body.dataset.jpThemeLight = 'false';
      for (const i of [0, 1, 2, 3, 4]) document.body.style.setProperty('--jp-layout-color' + i, '#111'); }""")
    wrong = []
    found = page.locator(f"{OUTPUTS} > img, {OUTPUTS} .agekit-stage, {TEXTS}")
    for k in range(found.count()):
        png = base64.b64encode(found.nth(k).screenshot()).decode()
        if (bright := page.evaluate(BRIGHTNESS, png)) > 0.5:
            wrong.append(f"in the dark theme, picture {k + 1} is {100 * bright:.0f} % as bright as a white one")
    page.evaluate("document.body.dataset.jpThemeLight = 'true'; document.body.removeAttribute('style')")
    return wrong
