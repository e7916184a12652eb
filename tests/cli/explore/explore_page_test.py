#!/usr/bin/env python3
"""The page of `tessera explore` in a real browser: pixels, zoom without end, formulas, links."""

import re
import subprocess

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

    def colored(self, *options):
        self.assert_done("render", *options, "--output", "image.h5", "--overwrite", "--quiet")
        self.assert_done("color", "image.h5", "image.png", "--overwrite", "--quiet", "--field", "iterations")
        return np.asarray(Image.open(self.path("image.png")).convert("RGB"))

    def shot(self, browser):
        browser.run(BARE)
        return np.asarray(browser.screenshot().convert("RGB"))

    def test_shows_the_pixels_of_render(self):
        browser = self.opened(*SEAHORSES, link="#field=iterations", size=(512, 512))
        np.testing.assert_array_equal(self.shot(browser), self.colored(*SEAHORSES))

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
