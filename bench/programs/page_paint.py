"""page_paint.py PAGE...: milliseconds from the start of loading each page until its graph is painted, a line each."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/page"))
import chromium  # noqa: E402

browser = chromium.Chromium(chromium.find())
try:
    for page in sys.argv[1:]:
        browser.open(page)
        painted = browser.run("performance.getEntriesByName('pcomp-painted')[0].startTime")
        print(f"{painted:.0f}")
finally:
    browser.close()
