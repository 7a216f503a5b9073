"""Looks at one notebook in JupyterLab, as somebody has it who trusts it and has not run it:

    look.py NOTEBOOK [PICTURE]

Prints as JSON what stands in the places of collapsed outputs, how arrow keys move the first
slider, how many outputs are wrapped within words, and how wide the pictures are on a phone,
each with its scale, the width of its box and whether that scrolls. Writes a picture of the
notebook if asked. The Go tests of scripts/lab_test.go call it."""

import json
import os
import pathlib
import shutil
import sys
import tempfile

from playwright.sync_api import sync_playwright

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from browser import lab  # noqa: E402

SLIDER = ".agekit-interactive input[type=range]"
PHONE = {"width": 390, "height": 844}
WIDTHS = """() => [...document.querySelectorAll('.jp-OutputArea-output > :is(img, svg)')].map(e => {
  const width = e.getBoundingClientRect().width;
  return { width: Math.round(width), scale: width / (e.naturalWidth || e.width.baseVal.value), box: e.parentElement.clientWidth,
    scrolls: ['auto', 'scroll'].includes(getComputedStyle(e.parentElement).overflowX) };
})"""


def look(page, address, path, picture):
    lab.open_notebook(page, address, path)
    page.wait_for_timeout(1000)
    found = {"collapsed": page.locator(".jp-OutputPlaceholder").all_inner_texts(), "keys": []}
    slider = page.locator(SLIDER).first
    if slider.count():
        slider.focus()
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp"):
            page.keyboard.press(key)
            found["keys"].append(int(slider.input_value()))
    if picture:
        lab.screenshot(page, picture)
    for _ in found["collapsed"]:
        page.locator(".jp-OutputPlaceholder").first.click()
    page.keyboard.press("Control+b")  # JupyterLab's own key: without the files at the left
    page.set_viewport_size(PHONE)
    page.wait_for_timeout(500)
    found["broken"] = page.evaluate("[...document.querySelectorAll('.jp-OutputArea-output pre')].filter(e => getComputedStyle(e).wordBreak === 'break-all').length")
    found["pictures"] = page.evaluate(WIDTHS)
    if picture:
        page.locator(".jp-OutputArea-output > :is(img, svg)").last.scroll_into_view_if_needed()
        page.screenshot(path=str(picture).replace(".png", "-phone.png"))
    return found


def main():
    source, picture = pathlib.Path(sys.argv[1]), (sys.argv[2:] or [None])[0]
    with tempfile.TemporaryDirectory(prefix="agekit-look-", ignore_cleanup_errors=True) as scratch, sync_playwright() as playwright:
        folder, data = pathlib.Path(scratch, "notebooks"), pathlib.Path(scratch, "data")
        folder.mkdir()
        data.mkdir()
        path = pathlib.Path(shutil.copy(source, folder))
        if (source.parent / "figures").is_dir():
            shutil.copytree(source.parent / "figures", folder / "figures")
        lab.sign([path], data)
        browser = playwright.chromium.launch(executable_path=os.environ.get("AGEKIT_CHROMIUM") or None, args=["--no-sandbox"])
        with lab.lab(folder, data) as address:
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            print(json.dumps(look(page, address, path, picture)))
        browser.close()


if __name__ == "__main__":
    main()
