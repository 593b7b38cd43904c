"""Checks of the pages that page_browser.sh wrote into the working directory."""
import os
import sys

import chromium

FAILED = []


def check(what, good):
    if not good:
        FAILED.append(what)
        print("failed:", what)


def text(browser, selector):
    return browser.run(f"document.querySelector('{selector}').innerText")


def colours(browser):
    """Of the graph, and of the page."""
    return browser.run("document.querySelector('canvas').toDataURL()"), browser.run("getComputedStyle(document.body).backgroundColor")


def frame(browser, x, row):
    """Where a frame of the graph is on the screen: x as a share of the width."""
    return browser.run("(() => { scrollTo(0, 0); const b = document.querySelector('canvas').getBoundingClientRect(); "
                       f"return [b.x + {x} * b.width, b.y + {row} * 22 + 11]; }})()")


def link(browser):
    return browser.run("location.hash")


def quiet(browser, name):
    browser.settle()
    check(f"{name}: no message {browser.messages}", not browser.messages)
    check(f"{name}: no request {browser.requests}", len(browser.requests) == 1)
    browser.messages.clear()


def plain(browser):
    browser.theme("light")
    browser.open("plain.html")
    check("sentence", "It takes" in text(browser, "#sentence") and "next" in text(browser, "#sentence"))
    check("threads", "worker" in text(browser, "#threads"))
    check("table", "wait_for_lock" in text(browser, "#table"))
    check("calls below their uncertainty", "<24" in text(browser, "#table") and "± 12" not in text(browser, "#table"))
    with open("plain.txt", encoding="utf-8") as report:
        total = report.read().split(" takes ")[1].split(";")[0]
    check(f"sentence has the report's total, {total}", total in text(browser, "#sentence").replace("\u00a0", " "))
    light = colours(browser)
    browser.theme("dark")
    browser.painted()
    check("themes differ", all(a != b for a, b in zip(light, colours(browser))))
    browser.click(*frame(browser, 0.1, 1))
    check(f"click selects {link(browser)}", "function=" in link(browser) and text(browser, "#selected-title") == "main")
    check("callees", "wait_for_lock" in text(browser, "#callees"))
    browser.key("ArrowDown")
    check("down selects the greatest callee", text(browser, "#selected-title") == "wait_for_lock")
    browser.key("Enter")
    browser.painted()
    zoomed = link(browser)
    check("Enter zooms", "zoom=" in zoomed)
    for _ in range(2):
        browser.key("Escape")
    browser.painted()
    check("Escape zooms out", "zoom=" not in link(browser))
    browser.key("c")
    check("c shows raw times", "side=0" in link(browser))
    browser.key("/")
    browser.type("next")
    check("search counts", text(browser, "#matches").startswith("1 function"))
    check("search filters the table", browser.run("document.querySelectorAll('#table tbody tr').length") == 1)
    browser.key("Escape")
    browser.click_on("#table button[data-sort=name]")
    check("sorted by name", browser.run("document.querySelector('#table tbody .name').textContent") == "main")
    browser.click_on("#theme")
    check("theme in the link", "theme=" in link(browser))
    quiet(browser, "plain")
    browser.open("plain.html", zoomed)
    check("permalink", link(browser) == zoomed and not browser.run("document.querySelector('#reset').hidden"))
    quiet(browser, "permalink")


def hostile(browser):
    browser.open("hostile.html")
    check("names are no script", browser.run("document.title") != "taken")
    check("names are no markup", browser.run("document.querySelectorAll('#table img, #table script, h1 img, h1 script').length") == 0)
    check("names are text", "<script>document.title" in text(browser, "#table"))
    check("two scripts", browser.run("document.scripts.length") == 2)
    quiet(browser, "hostile")


def difference(browser):
    browser.open("difference.html")
    check("sentence of a difference", "longer than before" in text(browser, "#sentence"))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../reporters/page/page_format.js"), encoding="utf-8") as file:
        formats = "const BEFORE = 0, AFTER = 1;" + file.read()
    side = "{ calls: %d, callsUncertainty: %d }"
    changes = ["formatChangeOfCalls([%s, %s])" % (side % (10, 3), side % (after, 4)) for after in (12, 16, 4)]
    check("changes of calls have their uncertainty",
          browser.run("(() => { %s; return [%s]; })()" % (formats, ", ".join(changes))) == ["<7", "+6", "-6"])
    check("only next has grown", browser.run("[...document.querySelectorAll('#table td.grown')].map((e) => "
                                             "e.parentNode.querySelector('.name').textContent).join()") == "next")
    quiet(browser, "difference")


def timeline(browser):
    browser.theme("light")
    browser.open("timeline.html")
    shot = "document.querySelector('#timeline').toDataURL()"
    browser.run("document.querySelector('#timeline-section').scrollIntoView()")
    browser.painted()
    check("two executions", "measured above approximated" in browser.run("document.querySelector('#timeline').getAttribute('aria-label')"))
    check("waiting as text", browser.run("document.querySelector('#timeline-table').textContent").count("rank") == 2)
    check("all slices are there", browser.run("document.querySelector('#timeline-note').hidden"))
    light = browser.run(shot)
    browser.theme("dark")
    browser.painted()
    check("themes of the timeline differ", browser.run(shot) != light)
    box = browser.run("(() => { const b = document.querySelector('#timeline').getBoundingClientRect(); return [b.x, b.y, b.width]; })()")
    at = 100 + 450 / 950 * (box[2] - 100)  # names take about 100 pixels
    browser.move(box[0] + at, box[1] + 95)
    check("tip of a slice", "<script>work" in text(browser, "#tip") and "rank 1" in text(browser, "#tip"))
    browser.click(box[0] + at, box[1] + 95)
    check("click selects the function", text(browser, "#selected-title") == "<script>work")
    browser.run("document.querySelector('#timeline').focus()")
    for key in ("+", "+", "ArrowRight"):
        browser.key(key)
    browser.painted()
    zoomed = link(browser)
    check(f"zoomed {zoomed}", "from=" in zoomed and "to=" in zoomed)
    before = browser.run(shot)
    browser.open("timeline.html", zoomed)
    browser.painted()
    check("permalink of the timeline", link(browser) == zoomed and not browser.run("document.querySelector('#timeline-reset').hidden"))
    browser.click_on("#timeline-reset")
    browser.painted()
    check("whole run", "from=" not in link(browser) and browser.run(shot) != before)
    quiet(browser, "timeline")
    browser.open("plain.html")
    check("no timeline of a profile", browser.run("document.querySelector('#timeline-section').hidden"))
    browser.open("long.html")
    check("says what is not drawn", "longest of 200,001 slices" in text(browser, "#timeline-note"))
    check("long.html is small", os.path.getsize("long.html") < 600000)
    quiet(browser, "long")


def big(browser):
    for name in ("big.html", "bigger.html"):
        size = os.path.getsize(name)
        check(f"{name} has {size} bytes", size <= 2000000)
        browser.open(name)
        check(f"{name} is painted", browser.run("performance.getEntriesByName('pcomp-painted').length") == 1)
        quiet(browser, name)
    check("says what was pruned", "call paths are drawn as the sums" in text(browser, "#pruned"))


def main():
    browser = chromium.Chromium(chromium.find())
    try:
        for part in (plain, hostile, difference, timeline, big):
            part(browser)
    finally:
        browser.close()
    return 1 if FAILED else 0


sys.exit(main())
