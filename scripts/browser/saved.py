"""Reports as a reader has them: from a file, without a network, in several widths, in
the dark and on paper."""

WIDTHS = (1400, 800, 390)

# Moves every slider, list and button of every interactive figure, and returns what
# did not change the figure.
MOVE = """() => {
  const look = root => root.innerHTML + [...root.querySelectorAll('canvas')].map(c => c.toDataURL()).join() +
    [...root.querySelectorAll('input, select')].map(e => e.value).join();
  const figures = [...document.querySelectorAll('.agekit-interactive')];
  const dead = [];
  let moves = 0;
  for (const [k, root] of figures.entries()) {
    const controls = [...root.querySelectorAll('input[type=range], select, button, [data-node], [data-edge]')];
    const name = `figure ${k + 1} (${root.getAttribute('aria-label') || root.className})`;
    if (!controls.length) dead.push(name + ' has nothing to move');
    const groups = {}, silent = [];
    for (const e of controls) {
      const group = e.dataset.name || e.dataset.part || (e.dataset.node !== undefined ? 'nodes' : e.dataset.edge !== undefined ? 'edges' : e.textContent);
      (groups[group] = groups[group] || []).push(e);
    }
    for (const group in groups) {
      const before = look(root);
      let changed = false;
      for (const e of groups[group].slice(0, 12)) {
        if (e.tagName === 'INPUT') {
          const middle = (+e.min + +e.max) / 2;
          e.value = +e.value > middle ? e.min : e.max;
          e.dispatchEvent(new Event('input'));
        } else if (e.tagName === 'SELECT') {
          e.value = e.options[(e.selectedIndex + 1) % e.options.length].value;
          e.dispatchEvent(new Event('change'));
        } else {
          e.dispatchEvent(new Event('click'));
        }
        moves++;
        changed = changed || look(root) !== before;
      }
      if (!changed) silent.push([group, groups[group][0]]);
    }
    // Some buttons, such as one that shows the whole map, do something only after
    // another one.
    for (const [group, button] of silent) {
      const alive = controls.some(other => {
        other.dispatchEvent(new Event('click'));
        const before = look(root);
        button.dispatchEvent(new Event('click'));
        return look(root) !== before;
      });
      if (!alive) dead.push(`${name}: ${group} changes nothing`);
    }
  }
  return { figures: figures.length, moves, dead };
}"""

# What sticks out of the page, text that is too small to read or stands word below word, and
# figures and tables that go on to the right without a sign.
FIT = """() => ({
  hidden: [...document.querySelectorAll('.output:not(.plate), .text table')].filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 1 &&
    getComputedStyle(e).backgroundImage === 'none').length,
  cut: [...document.querySelectorAll('.plate > :is(svg, img):not(.wide)')].filter(e => e.getBoundingClientRect().width > e.parentElement.clientWidth + 1).length,
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  narrow: [...document.querySelectorAll('.text td:not(:first-child)')].filter(e => e.clientWidth && e.clientWidth < 110 && e.clientHeight > 3 * e.clientWidth).length,
  small: [...document.querySelectorAll('.agekit-interactive svg text')].filter(e => {
    const box = e.getBBox(), shown = e.getBoundingClientRect();
    return e.textContent && box.height > 0 && Math.max(shown.height, shown.width) > 0 &&
      parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a < 8 && Math.abs(e.getScreenCTM().b) < 1e-6;
  }).map(e => e.textContent),
})"""

# Colors of a figure that paper leaves out, such as the marks of a legend.
BARE = """() => [...document.querySelectorAll('.agekit-interactive *')].filter(e => e instanceof HTMLElement && e.style.background &&
  getComputedStyle(e).printColorAdjust !== 'exact').length"""


def check(browser, path, shots):
    """Looks at one report. Returns the number of interactive figures and of moves, and
    what is wrong."""
    wrong = []
    context = browser.new_context(offline=True, viewport={"width": WIDTHS[0], "height": 900})
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(f"the page's script fails: {error}"))
    page.on("request", lambda request: wrong.append(f"the page asks for {request.url}") if not request.url.startswith(("file:", "data:", "blob:")) else None)
    page.goto(path.as_uri())
    if page.locator("details[open]").count():
        wrong.append("an answer does not wait for the reader")
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        fit = page.evaluate(FIT)
        if fit["wide"] > 0:
            wrong.append(f"{fit['wide']} pixels wider than a page of {width}")
        if fit["cut"]:
            wrong.append(f"{fit['cut']} figures are cut at a width of {width}")
        if fit["hidden"]:
            wrong.append(f"{fit['hidden']} tables go on without a sign at a width of {width}")
        if fit["narrow"]:
            wrong.append(f"{fit['narrow']} cells of tables have a word a line at a width of {width}")
        if fit["small"]:
            wrong.append(f"text under 8 pixels at a width of {width}: {fit['small'][:5]}")
        page.screenshot(path=shots / f"{path.stem}-{width}.png", full_page=True)
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    page.emulate_media(color_scheme="dark")
    page.screenshot(path=shots / f"{path.stem}-dark.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.emulate_media(media="print")
    if bare := page.evaluate(BARE):
        wrong.append(f"{bare} colors of figures are missing on paper")
    page.emulate_media(media="screen")
    page.pdf(path=shots / f"{path.stem}-a4.pdf", format="A4", prefer_css_page_size=True)
    moved = page.evaluate(MOVE)
    wrong += moved["dead"]
    page.screenshot(path=shots / f"{path.stem}-moved.png", full_page=True)
    context.close()
    return moved["figures"], moved["moves"], wrong
