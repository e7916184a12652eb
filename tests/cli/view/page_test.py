#!/usr/bin/env python3
"""The page of `tessera serve` in a real browser: what it shows, pixel by pixel, and what it does when it is used."""

import http.server
import os
import re
import subprocess
import tempfile
import threading
from xml.etree import ElementTree

from browser import Browser, need_browser
from images import pixels_of, stored_tiles
from PIL import Image
from program import TESSERA, main
from runs import SLOWLY, RunTest

need_browser()

SETTLED = """document.documentElement.dataset.ready === 'yes' && document.querySelectorAll('.tile').length > 0 &&
    [...document.querySelectorAll('.tile')].every((tile) => tile.classList.contains('here') && !tile.request)"""
# What floats above the image is out of the way of a comparison.
BARE = "void document.querySelectorAll('.glass').forEach((part) => { part.style.visibility = 'hidden'; })"


class PageTest(RunTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = tempfile.TemporaryDirectory(prefix="tessera-page-")
        cls.addClassCleanup(cls.home.cleanup)
        cls.image = os.path.join(cls.home.name, "image.h5")
        subprocess.run([TESSERA, "render", "--view", "seahorses", "--size", "1300x700", "--tile", "256", "--iterations",
                        "500", "--fields", "iterations,smooth", "--output", cls.image, "--quiet"], check=True)

    def serve(self, *paths):
        """The address of a server that runs until the test ends."""
        process = subprocess.Popen([TESSERA, "serve", *paths, "--no-token"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        for line in process.stdout:
            found = re.search(r"http://\S+", line)
            if found:
                threading.Thread(target=process.stdout.read, daemon=True).start()
                return found.group(0).rstrip("/") + "/"
        raise AssertionError("the server printed no address")

    def browser(self, **options):
        browser = Browser(**options)
        self.addCleanup(browser.close)
        self.addCleanup(lambda: self.assertEqual(browser.problems(), []))
        return browser

    def opened(self, address, link="", **options):
        browser = self.browser(**options)
        browser.open(address + link)
        browser.wait_for(SETTLED)
        return browser

    def colored(self, *options):
        """What `tessera color` makes of the image."""
        picture = os.path.join(self.folder, "colored.png")
        self.assert_done("color", self.image, picture, "--overwrite", "--quiet", *options)
        with Image.open(picture) as read:
            return read.convert("RGB")

    def place(self, browser, x, y, zoom):
        browser.run(f"void tessera.map.setView([{y}, {x}], {zoom}, {{animate: false}})")
        browser.wait_for(SETTLED)

    def shot(self, browser):
        browser.run(BARE)
        return browser.screenshot()

    def test_shows_the_pixels_of_color(self):
        browser = self.opened(self.serve(self.image), "#at=700,350&zoom=0", size=(800, 600))
        self.assertEqual(self.shot(browser).tobytes(), self.colored("--region", "300,50,800,600").tobytes())

    def test_a_pixel_is_a_square_when_enlarged(self):
        browser = self.opened(self.serve(self.image), size=(640, 480))
        self.place(browser, 700, 350, 5)
        wanted = self.colored("--region", "690,342,20,16").resize((640, 512), Image.NEAREST).crop((0, 16, 640, 496))
        self.assertEqual(self.shot(browser).tobytes(), wanted.tobytes())

    def test_changes_the_colours_at_once(self):
        browser = self.opened(self.serve(self.image), "#at=700,350&zoom=0", size=(800, 600))
        browser.click("#palettes input[value=ember]")
        browser.run("{ const slider = document.getElementById('offset'); slider.value = 0.25; "
                    "slider.dispatchEvent(new Event('input')); }")
        browser.wait_for(SETTLED)
        browser.key("s")
        browser.wait_for(SETTLED)
        self.assertIn("palette=ember&offset=0.25&field=iterations",
                      browser.wait_for("location.hash.includes('field') && location.hash"))
        wanted = self.colored("--region", "300,50,800,600", "--palette", "ember", "--palette-offset", "0.25",
                              "--field", "iterations")
        self.assertEqual(self.shot(browser).tobytes(), wanted.tobytes())

    def test_draws_the_edge_and_the_light_of_a_file_that_has_them(self):
        address = self.serve(self.image)
        browser = self.opened(address, "#at=700,350&zoom=0&light=90", size=(800, 600))
        for hidden in ("edge", "lighting", "lighting-height"):
            self.assertTrue(browser.run(f"document.getElementById('{hidden}').hidden"), hidden)
        self.addCleanup(setattr, self, "image", self.image)
        self.image = os.path.join(self.folder, "shaded.h5")
        self.assert_done("render", "--view", "seahorses", "--size", "1300x700", "--iterations", "500", "--fields",
                         "iterations,smooth,distance,gradient", "--output", self.image, "--quiet")
        browser = self.opened(self.serve(self.image), "#at=700,350&zoom=0", size=(800, 600))
        for options in (("distance", "1.5"), ("light", "45"), ("light-height", "0.5")):
            browser.run("{ const slider = document.getElementById('%s'); slider.value = %s; "
                        "slider.dispatchEvent(new Event('input')); }" % options)
        browser.wait_for(SETTLED)
        browser.wait_for("location.hash.includes('distance=1.5') && location.hash.includes('light=45,0.5')")
        wanted = self.colored("--region", "300,50,800,600", "--distance", "1.5", "--light", "45,0.5")
        self.assertEqual(self.shot(browser).tobytes(), wanted.tobytes())

    def test_equalizes_an_image_beyond_f64_until_that_is_turned_off(self):
        plain = self.image
        self.addCleanup(setattr, self, "image", plain)
        self.image = os.path.join(self.folder, "deep.h5")
        self.assert_done("render", "--center=-2,1e-19", "--width", "1e-18", "--iterations", "300", "--size", "800x600", "--fields",
                         "iterations,smooth", "--output", self.image, "--device", "cpu", "--quiet")
        browser = self.opened(self.serve(self.image), "#at=400,300&zoom=0", size=(800, 600))
        self.assertTrue(browser.run("document.getElementById('equalize').checked"))
        self.assertEqual(self.shot(browser).tobytes(), self.colored().tobytes())
        browser.run("document.getElementById('equalize').click()")
        browser.wait_for("location.hash.includes('equalize=false')")
        browser.wait_for(SETTLED)
        self.assertEqual(self.shot(browser).tobytes(), self.colored("--palette-cycle", "0.35").tobytes())
        browser.run("document.getElementById('equalize').click()")
        browser.wait_for("!location.hash.includes('equalize')")
        browser.wait_for(SETTLED)
        self.assertEqual(self.shot(browser).tobytes(), self.colored().tobytes())

    def test_a_link_leads_to_the_same_picture(self):
        address = self.serve(self.image)
        first = self.opened(address, size=(800, 600))
        self.place(first, 400, 300, -0.5)
        first.key("p")
        first.wait_for(SETTLED)
        link = first.wait_for("location.hash.includes('palette') && location.hash")
        second = self.opened(address, link, size=(800, 600))
        self.assertEqual(self.shot(first).tobytes(), self.shot(second).tobytes())

    def test_tells_the_pixel_under_the_cursor(self):
        import h5py
        browser = self.opened(self.serve(self.image), "#at=700,350&zoom=0", size=(1280, 600))
        browser.move(640, 300)
        text = browser.wait_for("document.querySelector('#readout .digits') && document.querySelector('#readout').innerText")
        with h5py.File(self.image) as file:
            count = int(file["iterations"][350, 700])
        self.assertIn("700, 350", text)
        self.assertIn(f"{count:,}", text)
        self.assertRegex(text, r"-0\.744\d+")
        self.assertRegex(text, r"rank 0")

    def test_the_keyboard_reaches_everything(self):
        browser = self.opened(self.serve(self.image), "#at=700,350&zoom=0", size=(800, 600))
        for keys, script in (("+", "tessera.map.getZoom() === 1"), ("--", "tessera.map.getZoom() === -1"),
                             ("1", "tessera.map.getZoom() === 0"),
                             ("h", "document.getElementById('panel').hidden"), ("h", "!document.getElementById('panel').hidden"),
                             ("t", "document.querySelector('#overlays input[value=state]').checked"),
                             ("r", "document.querySelector('#map.drawing') !== null"),
                             ("?", "document.getElementById('help').open"), ("?", "!document.getElementById('help').open")):
            for key in keys:
                browser.key(key)
            browser.wait_for(script)
        browser.key("Escape")
        browser.wait_for("document.querySelector('#map.drawing') === null")
        x = browser.run("tessera.map.getCenter().lng")
        browser.key("ArrowRight")
        browser.wait_for(f"tessera.map.getCenter().lng > {x} + 100")

    def test_every_control_has_a_name(self):
        browser = self.opened(self.serve(self.image))
        count, nameless = browser.nameless_controls()
        self.assertGreater(count, 20)
        self.assertEqual(nameless, [])

    def test_saves_a_rectangle_as_color_does(self):
        browser = self.opened(self.serve(self.image), "#at=650,350&zoom=0&palette=ocean", size=(1280, 800))
        browser.key("r")
        browser.drag((300, 200), (620, 440))
        rectangle = [browser.run(f"Number(document.getElementById('cut-{side}').value)") for side in ("x", "y", "width", "height")]
        self.assertEqual(rectangle, [310, 150, 320, 240])
        browser.run("{ const scale = document.getElementById('cut-scale'); scale.value = '1/2'; "
                    "scale.dispatchEvent(new Event('change')); }")
        browser.wait_for("document.getElementById('command').innerText.startsWith('tessera ')")
        browser.click("#save-png")
        saved = browser.wait_for_download(".png")
        wanted = os.path.join(self.folder, "wanted.png")
        self.assert_done("color", self.image, wanted, "--region", "310,150,320,240", "--scale", "1/2", "--palette", "ocean",
                        "--overwrite", "--quiet")
        self.assertEqual(pixels_of(saved), pixels_of(wanted))

    def test_follows_a_file_that_grows(self):
        growing = os.path.join(self.folder, "growing.h5")
        process = self.start_program("render", "--view", "whole", "--size", "700x500", "--tile", "64", *SLOWLY, "--output",
                                     growing, hold=10)  # until the page is there
        self.assert_reaches(process, "a stored tile", lambda: stored_tiles(growing) > 0)
        browser = self.opened(self.serve(self.folder), "#image=growing.h5", size=(900, 700))
        first = browser.run("Number(document.getElementById('progress-bar').value)")
        self.release()
        browser.wait_for(f"Number(document.getElementById('progress-bar').value) > {first} + 0.02", "progress")
        self.finish_well(process)
        browser.wait_for("document.getElementById('progress').hidden", "the end")
        self.place(browser, 350, 250, 0)
        browser.wait_for(SETTLED)
        self.image, whole = growing, self.image
        wanted = self.colored()
        self.image = whole
        self.assertEqual(self.shot(browser).crop((100, 100, 800, 600)).tobytes(), wanted.tobytes())

    def test_fits_a_phone(self):
        browser = self.opened(self.serve(self.image), size=(390, 844), scale=2, touch=True)
        self.assertTrue(browser.run("document.documentElement.scrollWidth <= 390"))
        tabs = browser.run("[...document.querySelectorAll('#tabs button')].map((one) => [one.innerText, one.getBoundingClientRect().right])")
        self.assertEqual([name for name, _ in tabs], ["Point", "Colours", "Tiles", "Save"])
        self.assertLess(tabs[-1][1], 390)
        for name in ("point", "colors", "tiles", "cut"):
            browser.run(f"[...document.querySelectorAll('#tabs button')].find((one) => one.getAttribute('aria-controls') === '{name}').click()")
            self.assertTrue(browser.run(f"document.getElementById('{name}').getBoundingClientRect().bottom <= 844 && "
                                        f"document.getElementById('{name}').getBoundingClientRect().height > 30"), name)

    def test_the_wheel_zooms_and_keeps_the_point_under_it(self):
        browser = self.opened(self.serve(self.image), "#at=700,350&zoom=0", size=(800, 600))
        under = "(({ lng, lat }) => [lng, lat])(tessera.map.containerPointToLatLng([200, 150]))"
        before = browser.run(under)
        browser.wheel(200, 150, -220)
        browser.wait_for("tessera.map.getZoom() > 0.5")
        browser.wait_for(SETTLED)
        for a, b in zip(before, browser.run(under)):
            self.assertAlmostEqual(a, b, delta=2)

    def test_fingers_move_and_zoom(self):
        browser = self.opened(self.serve(self.image), "#at=700,350&zoom=0", size=(390, 844), scale=2, touch=True)
        center = "(({ lng, lat }) => [lng, lat])(tessera.map.getCenter())"
        x, y = browser.run(center)
        browser.fingers([(200, 400)], [(120, 340)])
        browser.wait_for(f"tessera.map.getCenter().lng - {x} > 40 && tessera.map.getCenter().lat - {y} > 30")
        x, y = (after - before for after, before in zip(browser.run(center), (x, y)))
        self.assertTrue(x <= 80 and y <= 60, (x, y))
        zoom = browser.run("tessera.map.getZoom()")
        browser.fingers([(160, 400), (230, 400)], [(60, 400), (330, 400)])
        browser.wait_for(f"tessera.map.getZoom() > {zoom} + 1")

    def test_a_report_needs_no_server(self):
        self.assert_done("render", "--view", "whole", "--size", "600x400", "--tile", "64", "--output", "a.h5",
                         "--report-html", "report.html", "--quiet", ranks=2)
        browser = self.browser()
        browser.open("file://" + self.path("report.html"))
        browser.wait_for("document.querySelectorAll('section').length >= 4")
        self.assertEqual(browser.text("#run-title"), "a.h5")
        self.assertIn("70 of 70 tiles", browser.text("#run-state"))
        self.assertTrue(browser.run("document.getElementById('run-picture').naturalWidth === 600"))
        titles = browser.run("[...document.querySelectorAll('h2')].map((one) => one.textContent)")
        self.assertLessEqual({"Tiles", "Timeline", "Stages", "Ranks and devices"}, set(titles))
        browser.run("[...document.querySelectorAll('section')].find((one) => one.innerText.includes('Timeline'))"
                    ".querySelector('.save').click()")
        with open(browser.wait_for_download("timeline.svg")) as file:
            chart = ElementTree.parse(file).getroot()
        self.assertGreater(len(chart.findall(".//{http://www.w3.org/2000/svg}rect")), 1)
        self.assertTrue(float(chart.get("width")) > 0 < float(chart.get("height")))

    def test_a_report_fits_a_phone(self):
        self.assert_done("render", "--view", "whole", "--size", "600x400", "--tile", "64", "--output", "a.h5",
                         "--report-html", "report.html", "--quiet", ranks=2)
        browser = self.browser(size=(390, 844), scale=2, touch=True)
        browser.open("file://" + self.path("report.html"))
        browser.wait_for("document.querySelectorAll('section svg').length >= 2")
        self.assertTrue(browser.run("document.documentElement.scrollWidth <= 390"))
        self.assertEqual(browser.run("[...document.querySelectorAll('section svg')].map((one) => one.getBoundingClientRect().right)"
                                     ".filter((right) => right > 390)"), [])

    def test_text_of_a_file_stays_text(self):
        name = "<img src=x onerror=document.title='broken'>.h5"
        self.assert_done("render", "--view", "whole", "--size", "100x80", "--output", name, "--report-html", "a.html", "--quiet")
        browser = self.browser()
        browser.open("file://" + self.path("a.html"))
        browser.wait_for("document.querySelectorAll('section').length >= 3")
        self.assertEqual(browser.text("#run-title"), name)
        self.assertEqual(browser.run("document.querySelectorAll('img[src=x]').length"), 0)
        browser = self.opened(self.serve(name))
        self.assertEqual(browser.text("#name"), name)

    def test_a_run_is_shown_while_it_goes_on(self):
        process = self.start_program("render", "--view", "whole", "--size", "700x500", "--tile", "64", *SLOWLY, "--output",
                                     "a.h5", "--serve", "--no-token", hold=10)
        address = next(filter(None, (re.search(r"http://\S+/run", line) for line in process.stderr))).group(0)
        browser = self.browser()
        browser.open(address)
        browser.wait_for("document.getElementById('run-bar') !== null")
        done = "Number(document.getElementById('run-bar').value)"
        first = browser.wait_for(done)
        self.assertIn("running", browser.text("#run-state"))
        browser.wait_for("document.getElementById('run-png') !== null")
        browser.click("#run-png")
        with Image.open(browser.wait_for_download(".png")) as saved:
            self.assertEqual(saved.size, (700, 500))
        self.release()
        browser.wait_for(f"{done} > {min(first + 0.05, 0.99)}")
        browser.wait_for("[...document.querySelectorAll('h2')].some((one) => one.textContent === 'Tiles')")
        browser.wait_for("document.getElementById('run-state').innerText.startsWith('complete')")
        self.finish_well(process)

    def web_server(self, folder, ranges):
        """A web server of files; with range requests, as nginx and object stores have them, or without."""
        class Files(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=folder)

            def log_message(self, *_):
                pass

            def do_GET(self):
                asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
                if not asked or not ranges:
                    return super().do_GET()
                with open(self.translate_path(self.path), "rb") as file:
                    file.seek(int(asked[1]))
                    part = file.read(int(asked[2]) - int(asked[1]) + 1)
                self.send_response(206)
                self.send_header("Content-Length", str(len(part)))
                self.end_headers()
                return self.wfile.write(part)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/"

    def test_a_published_page_shows_the_same_on_any_web_server(self):
        wanted = self.colored("--region", "300,50,800,600").tobytes()
        for tiles, ranges in (("folder", False), ("file", True)):
            site = os.path.join(self.folder, tiles)
            self.assert_done("publish", self.image, site, "--tiles", tiles, "--quiet")
            browser = self.opened(self.web_server(site, ranges), "#at=700,350&zoom=0", size=(800, 600))
            self.assertEqual(browser.text("#name"), "image")
            self.assertTrue(self.shot(browser).tobytes() == wanted, tiles)

    def test_nothing_comes_from_elsewhere(self):
        address = self.serve(self.image)
        browser = self.opened(address)
        asked = browser.requests()
        self.assertGreater(len(asked), 5)
        self.assertEqual([url for url in asked if not url.startswith((address, "data:", "blob:"))], [])


if __name__ == "__main__":
    main()
