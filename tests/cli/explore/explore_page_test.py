#!/usr/bin/env python3
"""The page of `tessera explore` in a real browser: pixels, zoom without end, formulas, links."""

import re
import subprocess
from urllib.parse import parse_qs
from urllib.request import urlopen

import numpy as np
from browser import Browser, need_browser
from PIL import Image
from program import TESSERA, main
from runs import RunTest

need_browser()

SEAHORSES = ("--center=-0.7445,0.1215", "--width", "0.012", "--size", "512", "--iterations", "700")
SETTLED = """document.documentElement.dataset.ready === 'yes' && tessera.explore.settled"""
BARE = "void document.querySelectorAll('.glass').forEach((part) => { part.style.visibility = 'hidden'; })"


class ExplorePageTest(RunTest):
    def opened(self, *arguments, link="", **options):
        process = subprocess.Popen([TESSERA, "explore", *arguments, "--no-token"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.address = re.search(r"http://\S+/", process.stdout.readline()).group(0)
        browser = Browser(**options)
        self.addCleanup(browser.close)
        # Squares of a view that has moved on are answered with 410.
        self.addCleanup(lambda: self.assertEqual([said for said in browser.problems() if not re.search(r"\b410\b", said)], []))
        browser.open(self.address + link)
        browser.wait_for(SETTLED)
        return browser

    def colored(self, *options, colors=()):
        self.assert_done("render", *options, "--output", "image.h5", "--overwrite", "--quiet")
        self.assert_done("color", "image.h5", "image.png", "--overwrite", "--quiet", "--field", "iterations", *colors)
        return np.asarray(Image.open(self.path("image.png")).convert("RGB"))

    def shot(self, browser):
        browser.run(BARE)
        return np.asarray(browser.screenshot().convert("RGB"))

    def test_shows_the_pixels_of_render(self):
        browser = self.opened(*SEAHORSES, link="#field=iterations", size=(512, 512))
        np.testing.assert_array_equal(self.shot(browser), self.colored(*SEAHORSES))

    def link(self, browser):
        """The address and the poster's parameters once they have been written again."""
        browser.run("tessera.explore.written = ''; tessera.explore.remember()")
        browser.wait_for("tessera.explore.written")
        return parse_qs(browser.run("location.hash.slice(1)"), True), parse_qs(
            browser.run("document.getElementById('poster-job').href.split('?')[1]"), True)

    def test_a_link_has_the_place_that_is_shown(self):
        for place, center, width in ((("--view", "seahorses", "--rotate", "30"), "-0.7445,0.1215", "0.012"),
                                     (("--center=0,0", "--width", "2.718281828459"), "0,0", "2.718281828459")):
            browser = self.opened(*place, size=(500, 400))
            for written in self.link(browser):
                self.assertEqual((written["center"], written["width"]), ([center], [width]))
        # Where the map is moved, and as far as a large poster shows it; reopened it is the same text.
        browser.run("void tessera.map.setView([-70.3, 41.7], tessera.map.getZoom() + 3.3, {animate: false})")
        browser.wait_for(SETTLED)
        for written in self.link(browser):
            self.assertAlmostEqual(float(written["width"][0]) / 2.718281828459 * 2**3.3, 1, delta=1e-5)
            for part, pixels in zip(written["center"][0].split(","), (41.7, 70.3)):
                self.assertAlmostEqual(float(part) / (2.718281828459 / 256), pixels, delta=2**-8 / 8)
        moved = browser.run("location.hash")
        second = self.opened("--center=0,0", "--width", "2.718281828459", link=moved, size=(500, 400))
        self.assertEqual(self.link(second)[0]["center"], written["center"])
        self.assertEqual(second.run("location.hash"), moved)

    def test_a_link_has_the_colours_where_the_page_begins_with_others(self):
        begins = (*SEAHORSES, "--palette", "ember", "--palette-offset", "0.5", "--inside", "#ff0000", "--palette-scale", "linear:40",
                  "--light", "45")
        browser = self.opened(*begins, size=(300, 300))
        self.assertEqual(self.link(browser)[0]["palette"], ["ember"])
        browser.click("#reset-colors")
        browser.wait_for(SETTLED)
        usual = {"palette": "", "offset": 0, "inside": "", "transfer": "", "light": ""}
        written, poster = self.link(browser)
        for parameters in (written, poster):
            self.assertEqual({name: parameters[name] for name in usual}, {name: [str(value)] for name, value in usual.items()})
        second = self.opened(*begins, link=browser.run("location.hash"), size=(300, 300))
        self.assertEqual(second.run("tessera.look"), browser.run("tessera.look"))
        np.testing.assert_array_equal(self.shot(second), self.shot(browser))
        self.link(second)
        job = urlopen(second.run("document.getElementById('poster-job').href")).read().decode()
        self.assertIn('palette = "twilight"', job)
        for option in ("palette-offset", "inside", "palette-scale", "light ="):
            self.assertNotIn(option, job)

    def test_a_link_that_is_pasted_is_opened_whole(self):
        browser = self.opened(*SEAHORSES, size=(512, 512))
        where = browser.run("tessera.explore.here().then(String)")
        for words, options, colors in (
                ("field=iterations&palette=ocean", (), ("--palette", "ocean")),
                ("field=iterations&formula=multibrot:4&iterations=300", ("--formula", "multibrot:4", "--iterations", "300"), ())):
            browser.run(f"location.hash = '{where}&{words}'")
            written = browser.wait_for("location.hash === tessera.explore.written && location.hash")
            for word in (where, *words.split("&")):
                self.assertIn(word.replace("%2C", ",").replace("%3A", ":"), written)
            browser.wait_for(SETTLED)
            np.testing.assert_array_equal(self.shot(browser), self.colored(*SEAHORSES, *options, colors=colors))
        self.assertEqual(browser.run("[...document.querySelectorAll('#formula, #formula-parameter, #iterations')].map((one) => one.value)"),
                         ["multibrot", "4", "300"])
        self.assertTrue(browser.run("document.getElementById('equalizing').hidden"))

    def test_a_zoom_has_no_end(self):
        browser = self.opened("--view", "e50", "--width", "1e-20", "--iterations", "40000", size=(300, 220))
        for level in (25, 60):
            browser.run(f"void tessera.explore.zoomNow({level})")
            browser.wait_for(f"{SETTLED} && tessera.explore.zoomOfRoot() > {level}")
            link = browser.run("tessera.explore.here().then(String)")
            width = float(re.search(r"width=([^&]+)", link).group(1))
            self.assertAlmostEqual(width / (1e-20 * 2. ** -level), 1, delta=1e-5)
            self.assertIn("perturbation", browser.run("document.getElementById('facts').textContent"))
            if level == 25:
                self.assertGreater(len(np.unique(self.shot(browser).reshape(-1, 3), axis=0)), 100)

    def test_wheel_and_fingers_zoom(self):
        browser = self.opened("--center=0,0", "--width", "3", "--size", "256", size=(390, 700), scale=2, touch=True)
        browser.wheel(150, 200, -220)
        browser.wait_for("tessera.explore.zoomOfRoot() > 1.5")
        zoom = browser.wait_for(f"{SETTLED} && tessera.explore.zoomOfRoot()")
        browser.fingers([(160, 400), (230, 400)], [(60, 400), (330, 400)])
        browser.wait_for(f"tessera.explore.zoomOfRoot() > {zoom} + 1")
        browser.wait_for(SETTLED)

    def test_another_formula_is_shown(self):
        browser = self.opened("--center=0,0", "--width", "3", "--size", "256", link="#field=iterations", size=(256, 256))
        browser.run("""{ const formula = document.getElementById('formula'); formula.value = 'multibrot';
            formula.dispatchEvent(new Event('change')); }""")
        browser.wait_for(SETTLED)
        np.testing.assert_array_equal(self.shot(browser), self.colored(
            "--center=0,0", "--width", "3", "--size", "256", "--formula", "multibrot:3"))

    def test_a_click_leads_to_the_next_minibrot(self):
        browser = self.opened("--center=-1.76,0", "--width", "0.1", "--size", "400x300", size=(400, 300))
        browser.run("document.getElementById('panel').hidden = true; document.getElementById('find').click()")
        browser.click_at(200, 120)
        browser.wait_for("tessera.finder.found?.period === 3")
        browser.wait_for(SETTLED)
        link = browser.run("tessera.explore.here().then(String)")
        re_part, im_part = re.search(r"center=([^&]+)&", link).group(1).split("%2C")
        self.assertAlmostEqual(float(re_part), -1.754877666, delta=1e-3)
        self.assertAlmostEqual(float(im_part), 0, delta=1e-3)
        self.assertEqual(browser.run("document.getElementById('find').getAttribute('aria-pressed')"), "false")
        # By the key, near the pointer.
        browser.run("tessera.finder.found = null; tessera.explore.start()")
        browser.wait_for(SETTLED)
        browser.move(200, 120)
        browser.key("m")
        browser.wait_for("tessera.finder.found?.period === 3")


if __name__ == "__main__":
    main()
