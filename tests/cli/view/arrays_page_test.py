#!/usr/bin/env python3
"""The page of arrays in a real browser: what it shows and what it does when it is used."""

import json
import os
import re
import subprocess
import threading

from browser import Browser, need_browser
from program import TESSERA, main
from runs import RunTest

need_browser()

try:
    import h5py
    import numpy as np
except ImportError as missing:
    main(f"{missing} (Debian: python3-h5py python3-numpy)")

SETTLED = """document.documentElement.dataset.ready === 'yes' && document.querySelectorAll('.tile').length > 0 &&
    [...document.querySelectorAll('.tile')].every((tile) => tile.classList.contains('here') && !tile.request)"""
BARE = "void document.querySelectorAll('.glass').forEach((part) => { part.style.visibility = 'hidden'; })"
READOUT = "document.querySelector('#readout .digits') && document.querySelector('#readout').innerText"


class ArraysPageTest(RunTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(5)
        self.t = random.integers(0, 256, (4, 300, 500)).astype("f4")
        with h5py.File(self.path("a.h5"), "w") as file:
            t = file.create_dataset("t", data=self.t, chunks=(1, 100, 100), compression="gzip")
            t.attrs["units"] = "K"
            file["time"] = np.arange(4) * 12
            file["time"].make_scale("time")
            file["time"].attrs["units"] = "hours since 2001-02-03"
            t.dims[0].attach_scale(file["time"])
            file["double"] = self.t * 2

    def opened(self, link="", size=(1280, 900), **options):
        process = subprocess.Popen([TESSERA, "serve", "a.h5", "--no-token"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        address = re.search(r"http://[^/\s]+", next(line for line in process.stdout if "http" in line)).group(0)
        threading.Thread(target=process.stdout.read, daemon=True).start()
        browser = Browser(size=size, **options)
        self.addCleanup(browser.close)
        self.addCleanup(lambda: self.assertEqual(browser.problems(), []))
        browser.open(f"{address}/arrays{link}" if link else f"{address}/")
        browser.wait_for(SETTLED)
        return browser

    def assert_shows(self, browser, values):
        """Of 200 x 200 elements around (250, 150) at full size, each is its gray."""
        browser.run("void tessera.map.setView([150, 250], 0, {animate: false})")
        browser.wait_for(SETTLED)
        browser.run(BARE)
        shot = np.asarray(browser.screenshot().convert("L")).astype(int)
        middle = np.array(shot.shape) // 2
        part = shot[middle[0] - 100:middle[0] + 100, middle[1] - 100:middle[1] + 100]
        np.testing.assert_allclose(part, values[50:250, 150:350], rtol=0, atol=1)

    def test_shows_the_elements_of_a_link(self):
        browser = self.opened("#array=a.h5:/t&at=2,0,0&palette=gray&low=0&high=255")
        self.assert_shows(browser, self.t[2])

    def test_a_server_of_arrays_alone_begins_with_them(self):
        browser = self.opened()
        self.assertEqual(browser.run("location.pathname"), "/arrays")
        self.assertEqual(browser.run("[...document.querySelectorAll('#images option')].map((one) => one.value).sort()"),
                         ["a.h5:/double", "a.h5:/t", "a.h5:/time"])

    def test_a_slider_goes_through_the_other_dimension(self):
        browser = self.opened("#array=a.h5:/t&palette=gray&low=0&high=255")
        browser.run("{ const slider = document.getElementById('at-0'); slider.value = 3; slider.dispatchEvent(new Event('input')); }")
        self.assertIn("2001-02-04 12:00", browser.text("#sliders output"))
        browser.wait_for("location.hash.includes('at=3,0,0')")
        browser.wait_for(SETTLED)
        self.assert_shows(browser, self.t[3])

    def test_a_difference_and_its_link(self):
        browser = self.opened("#array=a.h5:/double&palette=gray&low=0&high=255&minus=a.h5:/t&at=1,0,0")
        self.assert_shows(browser, self.t[1])

    def test_tells_the_element_under_the_cursor(self):
        browser = self.opened("#array=a.h5:/t&at=1,0,0&view=250.5,150.5,1")
        browser.move(640, 450)
        text = browser.wait_for(READOUT)
        self.assertIn("[1, 150, 250]", text)
        self.assertIn(f"{self.t[1, 150, 250]:g} K", text)
        self.assertIn("2001-02-03 12:00", text)

    def test_coordinates_have_all_their_digits(self):
        browser = self.opened("#array=a.h5:/t")
        for attributes, value, text in (({}, 1234567892, "1234567892"), ({"units": "station"}, 70000000003, "70000000003 station"),
                                        ({}, "1152921504606846977", "1152921504606846977"), ({}, -59.59866220735786, "-59.5986622073579"),
                                        ({}, 0.1 + 0.2, "0.3"), ({"units": "seconds since 2000-01-01 00:00:00.5"}, 2, "2000-01-01 00:00:02.500"),
                                        ({"units": "seconds since 2000-01-01", "calendar": "360_day"}, 1234567892, "1234567892 seconds since 2000-01-01"),
                                        ({"units": "nanoseconds since 1970-01-01"}, "1234567892123456789", "2009-02-13 23:31:32.123"),
                                        ({"units": "hours since 1900-01-01"}, 0.1 * 3, "1900-01-01 00:18")):
            script = f"new Coordinates({{ attributes: {json.dumps(attributes)} }}).text({json.dumps(value)})"
            self.assertEqual(browser.run(f"import('/coordinates.js').then(({{ Coordinates }}) => {script})"), text)

    def test_statistics_of_a_rectangle(self):
        browser = self.opened("#array=a.h5:/t&at=1,0,0&view=250,150,0")
        browser.key("r")
        browser.drag((600, 410), (660, 450))
        text = browser.wait_for("document.querySelectorAll('#charts figure').length === 3 && document.getElementById('numbers').innerText")
        part = self.t[1, 110:150, 210:270]
        for number in (f"{part.size:,}", f"{part.min():g}", f"{part.max():g}", f"{np.median(part):g}"):
            self.assertIn(number, text)
        browser.run("{ const one = document.getElementById('through'); one.value = '0'; one.dispatchEvent(new Event('change')); }")
        text = browser.wait_for("document.querySelectorAll('#charts figure').length === 4 && document.getElementById('charts').innerText")
        self.assertIn("Through time", text)

    def test_the_range_becomes_exact(self):
        browser = self.opened("#array=a.h5:/t")
        browser.wait_for("document.getElementById('range-hint').innerText.includes('exact')")
        low, high = np.quantile(self.t[0], (0.02, 0.98))
        self.assertEqual([float(browser.run(f"document.getElementById('{end}').value")) for end in ("low", "high")], [low, high])

    def scale(self, browser):
        """What the page says of the scale: the button, the tiles, the link."""
        tiles = set(browser.run("[...document.querySelectorAll('.tile')].map((one) => new URL(one.url, location).searchParams.get('scale'))"))
        return browser.run("document.querySelector('#scales input:checked').value"), *tiles, "scale=log" in browser.run("location.hash")

    def ends(self, browser):
        return [float(browser.run(f"document.getElementById('{end}').value")) for end in ("low", "high")]

    def test_a_logarithm_of_what_is_above_zero(self):
        random = np.random.default_rng(6)
        rain = np.where(random.random((300, 500)) < 0.6, 0, random.lognormal(0, 1, (300, 500)))
        with h5py.File(self.path("a.h5"), "a") as file:
            file["rain"], file["depth"] = rain, -rain - 1
        browser = self.opened("#array=a.h5:/rain&palette=gray")
        browser.wait_for("document.getElementById('range-hint').innerText.includes('exact')")
        browser.click("#scales input[value=log]")
        browser.wait_for("location.hash.includes('scale=log')")
        browser.wait_for(SETTLED)
        self.assertEqual(self.scale(browser), ("log", "log", True))
        for got, part in zip(self.ends(browser), (0.02, 0.98)):
            near = np.quantile(rain[rain > 0], (part - 0.01, part + 0.01))
            self.assertTrue(near[0] <= got <= near[1], (got, near))
        self.assertIn("above 0", browser.text("#range-hint"))
        # The exact percentiles of everything, which are 0 and more, change nothing of it.
        browser.run("document.getElementById('auto-range').click()")
        browser.run("import('/array_colors.js').then(({ range }) => { range.exact = false; window.range = range; })")
        browser.wait_for("window.range.exact")
        browser.wait_for(SETTLED)
        self.assertEqual(self.scale(browser), ("log", "log", True))
        browser.run("{ const one = document.getElementById('images'); one.value = 'a.h5:/depth'; one.dispatchEvent(new Event('change')); }")
        browser.wait_for("location.hash.includes('depth') && !location.hash.includes('log')")
        browser.wait_for(SETTLED)
        self.assertEqual(self.scale(browser), ("linear", "linear", False))
        self.assertIn("above 0", browser.text("#message"))

    def test_a_range_that_is_none_is_refused(self):
        browser = self.opened("#array=a.h5:/t&low=100&high=20")
        self.assertIn("Low must be below High", browser.text("#message"))
        browser.wait_for("document.getElementById('range-hint').innerText.includes('exact')")
        before = self.ends(browser)
        for end, value, words in (("low", "1e3", "Low must be below High"), ("high", "-2", "Low must be below High"),
                                  ("high", "1.7976e308", "")):
            browser.run("void document.getElementById('message').replaceChildren()")
            browser.run(f"{{ const box = document.getElementById('{end}'); box.value = '{value}'; box.dispatchEvent(new Event('change')); }}")
            self.assertIn(words, browser.text("#message"))
        self.assertEqual(self.ends(browser), [before[0], 1.7976e308])
        browser.run("{ const box = document.getElementById('low'); box.value = '-1e308'; box.dispatchEvent(new Event('change')); }")
        self.assertIn("more than a number holds", browser.text("#message"))
        self.assertEqual(self.ends(browser)[0], before[0])

    def test_a_file_that_is_written_again_is_shown_again(self):
        browser = self.opened("#array=a.h5:/t&palette=gray&low=0&high=255&at=1,0,0")
        with h5py.File(self.path("new.h5"), "w") as file:
            file["t"] = 255 - self.t
        os.replace(self.path("new.h5"), self.path("a.h5"))
        state = browser.run("import('/shown_plane.js').then(({ shown }) => { window.shown = shown; return shown.plane.state; })")
        browser.wait_for(f"window.shown.plane.state !== {state}")
        browser.wait_for(SETTLED)
        self.assert_shows(browser, 255 - self.t[1])

    def test_keys(self):
        browser = self.opened("#array=a.h5:/t")
        for key, script in (("]", "location.hash.includes('at=1,0,0')"), ("[", "location.hash.includes('at=0,0,0')"),
                            ("p", "location.hash.includes('palette=magma')"), ("1", "tessera.map.getZoom() === 0"),
                            ("?", "document.getElementById('help').open"), ("?", "!document.getElementById('help').open")):
            browser.key(key)
            browser.wait_for(script)

    def test_every_control_has_a_name(self):
        count, nameless = self.opened("#array=a.h5:/t").nameless_controls()
        self.assertGreater(count, 20)
        self.assertEqual(nameless, [])

    def test_fits_a_phone(self):
        browser = self.opened("#array=a.h5:/t", size=(390, 844), scale=2, touch=True)
        self.assertTrue(browser.run("document.documentElement.scrollWidth <= 390"))
        self.assertLess(browser.run("[...document.querySelectorAll('#tabs button')].at(-1).getBoundingClientRect().right"), 390)
        for name in ("point", "dimensions", "colors", "statistics", "about-array"):
            browser.run(f"[...document.querySelectorAll('#tabs button')].find((one) => one.getAttribute('aria-controls') === '{name}').click()")
            self.assertTrue(browser.run(f"document.getElementById('{name}').getBoundingClientRect().bottom <= 844 && "
                                        f"document.getElementById('{name}').getBoundingClientRect().height > 30"), name)


if __name__ == "__main__":
    main()
