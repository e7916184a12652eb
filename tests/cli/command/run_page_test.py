#!/usr/bin/env python3
"""A run as a page: --report-html, `info --html` and --serve."""

import json
import os
import re
import signal
import socket
import struct
import unittest
import urllib.error
import urllib.request

from images import pixels_of
from program import HANG_S, TESSERA, main
from runs import SLOWLY, RunTest, wait_until

SIZE = ("--size", "200x120", "--tile", "32", "--iterations", "300")


def document_of(page):
    """The document that a report has inside."""
    return json.loads(re.search(r'<script id="run-data" type="application/json">(.*?)</script>', page, re.S).group(1))


class ReportTest(RunTest):
    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def assert_self_contained(self, page):
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:)[^"]*"', page.split("<script")[0]), [])
        self.assertNotIn("import ", page.split("<script")[-1])
        self.assertEqual(page.count("<script"), 2)

    def test_a_render_leaves_one_file_with_everything(self):
        self.assert_done("render", *SIZE, "--output", "a.h5", "--report-html", "a.html", "--quiet", ranks=2)
        page = self.read("a.html")
        self.assert_self_contained(page)
        run = document_of(page)
        self.assertEqual((run["state"], run["title"], run["done"], run["total"]), ("complete", "a.h5", 28, 28))
        self.assertEqual((run["tiles"]["columns"], run["tiles"]["rows"]), (7, 4))
        self.assertEqual(run["tiles"]["state"], [1] * 28)
        self.assertEqual(sum(rank["tiles"] for rank in run["report"]["ranks"]), 28)
        # Computing may be too short to be seen in a long run.
        self.assertTrue(any(lane["spans"] for lane in run["timeline"]))
        self.assertTrue(run["picture"].startswith("data:image/png;base64,"))

    def test_the_picture_is_that_of_color(self):
        import base64
        self.assert_done("render", *SIZE, "--output", "a.h5", "--report-html", "a.html", "--palette", "ember", "--quiet")
        self.assert_done("color", "a.h5", "a.png", "--palette", "ember", "--quiet")
        with open(self.path("b.png"), "wb") as file:
            file.write(base64.b64decode(document_of(self.read("a.html"))["picture"].split(",")[1]))
        self.assertEqual(pixels_of(self.path("b.png")), pixels_of(self.path("a.png")))

    def test_a_reduction_has_a_page_too(self):
        self.assert_done("reduce", "random:uniform?count=3000000", "--op", "sum,mean", "--report-html", "r.html", "--quiet")
        run = document_of(self.read("r.html"))
        self.assertEqual((run["state"], run["command"], run["item"]), ("complete", "reduce", "slice"))
        self.assertEqual([result["op"] for result in run["report"]["results"]], ["sum", "mean"])
        self.assertEqual(run["done"], run["total"])

    def test_info_makes_the_page_of_a_file(self):
        self.assert_done("render", *SIZE, "--output", "a.h5", "--quiet")
        self.assert_done("info", "a.h5", "--html", "b.html")
        page = self.read("b.html")
        self.assert_self_contained(page)
        run = document_of(page)
        self.assertEqual((run["state"], run["done"], run["attributes"]["iterations"]), ("complete", 28, "300"))
        self.assertEqual(run["report"]["total"]["tiles"], 28)

    def test_no_text_becomes_markup(self):
        name = "</script><script>alert(1)<img src=x>.h5".replace("/", "\\")
        self.assert_done("render", *SIZE, "--output", name, "--report-html", "a.html", "--quiet")
        page = self.read("a.html")
        self.assertNotIn("alert(1)<", page)
        self.assertNotIn("<img src=x", page)
        self.assertEqual(document_of(page)["title"], name)

    def test_a_picture_alone_is_shown_smaller_since_its_data_is_gone(self):
        import base64
        import io
        from PIL import Image
        self.assert_done("render", *SIZE[2:], "--size", "1400x800", "--png", "a.png", "--report-html", "a.html", "--quiet")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.html", "a.png"])
        picture = base64.b64decode(document_of(self.read("a.html"))["picture"].split(",")[1])
        with Image.open(io.BytesIO(picture)) as shown:
            self.assertLessEqual(shown.width, 1280)
            self.assertGreater(shown.width, 600)

    def test_replaces_no_other_file(self):
        self.write("notes.html", "<p>notes</p>")
        self.assert_refused(("render", *SIZE, "--output", "a.h5", "--report-html", "notes.html"), 2, "--report-html", "notes.html")


class ServeTest(RunTest):
    def opened(self, address, path):
        bearer = {"Authorization": f"Bearer {self.token}"}
        return urllib.request.urlopen(urllib.request.Request(address + path, headers=bearer), timeout=HANG_S)

    def ask(self, address, path):
        with self.opened(address, path) as answer:
            return json.load(answer)

    def start(self, *arguments, serve=("--serve",), **options):
        """A run that shows itself, and the address."""
        process = self.start_program(*arguments, *serve, **options)
        for line in process.stderr:
            found = re.search(r"progress page: (http://[^/]+)/run", line)
            if found:
                self.token = (line.strip().split("?token=") + [""])[1]
                return process, found.group(1)
        self.fail(f"it printed no address: {process.poll()}")

    def has_tiles(self, address):
        """Whether the run has some tiles and is not over yet; keeps that answer."""
        self.seen = self.ask(address, "/api/run")
        return self.seen["stage"] == "render" and self.seen["done"] > 3

    def test_a_render_shows_how_far_it_is(self):
        process, address = self.start("render", "--view", "whole", "--size", "700x500", "--tile", "64", *SLOWLY, "--output",
                                      "a.h5", hold=8)
        self.assert_reaches(process, "some tiles, and an estimate", lambda: self.has_tiles(address) and self.seen["left_s"])
        run = self.seen
        self.assertEqual((run["state"], run["total"], run["tiles"]["columns"]), ("running", 88, 11))
        self.assertGreaterEqual(sum(run["tiles"]["state"]), 3)
        self.assertTrue(run["timeline"])
        wait_until("the image is listed", lambda: [one["name"] for one in self.ask(address, "/api/images")["images"]] == ["a.h5"])
        self.assertIs(self.ask(address, "/api/images")["run"], True)
        self.release()
        wait_until("the end is reported", lambda: self.ask(address, "/api/run")["state"] == "complete", pause_s=.05)
        self.finish_well(process)

    def test_the_page_has_the_colours_of_the_run(self):
        self.write("own.map", "0 0 0\n255 0 128\n")
        process, address = self.start("render", "--view", "whole", "--size", "700x500", "--tile", "64", *SLOWLY, "--output",
                                      "a.h5", "--palette", "own.map", "--palette-offset", "0.25", hold=8)
        palette = self.ask(address, "/api/palettes")[-1]
        self.assertEqual((palette["name"], palette["stops"][0]), ("own.map", "#000000"))
        look = self.ask(address, "/api/images")["look"]
        self.assertEqual((look["palette"], look["offset"], look["inside"]), ("own.map", 0.25, ""))
        self.kill(process)

    def test_the_image_can_be_saved_while_it_grows(self):
        process, address = self.start("render", "--view", "whole", "--size", "700x500", "--tile", "64", *SLOWLY, "--output",
                                      "a.h5", hold=8)
        self.assert_reaches(process, "some tiles", lambda: self.has_tiles(address))
        wait_until("the image is listed", lambda: self.ask(address, "/api/images")["images"])
        whole = "x=0&y=0&width=700&height=500&scale=1/2"
        with self.opened(address, f"/api/images/0/region.png?{whole}") as answer:
            head = answer.read(24)
        self.assertEqual(struct.unpack(">4sII", head[12:24]), (b"IHDR", 350, 250))
        self.release()
        self.finish_well(process)

    def test_a_reduction_shows_its_slices_and_its_memory(self):
        process, address = self.start("reduce", "random:normal?count=20000000", "--op", "sum,mean", "--slice", "1M", *SLOWLY,
                                      ranks=2, hold=8)
        self.assert_reaches(process, "some slices", lambda: self.ask(address, "/api/run")["done"] > 8)
        run = self.ask(address, "/api/run")
        self.assertEqual(run["command"], "reduce")
        spans = [span for lane in run["timeline"] for span in lane["spans"]]
        self.assertEqual({span[0] for span in spans}, {"reduce"})
        self.assertTrue(all(0 <= span[2] < span[3] <= run["elapsed_s"] for span in spans))
        self.assertEqual({lane["name"] for lane in run["timeline"]}, {"rank 0", "rank 1"})
        wait_until("both ranks tell their memory", lambda: all(
            rank.get("memory_bytes", 0) > 1 << 20 for rank in self.ask(address, "/api/run")["ranks"]))
        os.killpg(process.pid, signal.SIGKILL)

    def test_a_picture_alone_leaves_nothing_of_what_was_looked_at(self):
        process, address = self.start("render", "--view", "whole", "--size", "700x500", "--tile", "64", *SLOWLY, "--png", "x.png",
                                      hold=8)
        self.assert_reaches(process, "some tiles", lambda: self.has_tiles(address))
        with self.opened(address, "/tiles/0/0/0/0.png"):
            pass
        self.assert_reaches(process, "smaller scales", lambda: any(name.endswith(".pyramid") for name in os.listdir(self.folder)))
        self.release()
        self.finish_well(process)
        wait_until("the page is gone", lambda: os.listdir(self.folder) == ["x.png"])

    def test_other_machines_need_the_token(self):
        process, address = self.start("render", "--view", "whole", "--size", "700x500", "--tile", "64", *SLOWLY, "--output",
                                      "a.h5", serve=("--serve-listen", "0.0.0.0:0"), hold=8)
        self.assertRegex(self.token, "^[0-9a-f]{32}$")
        here = re.sub("//[^:]+:", "//127.0.0.1:", address)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(here + "/api/run", timeout=HANG_S)
        self.assertEqual(refused.exception.code, 401)
        opened = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opened.open(f"{here}/run?token={self.token}", timeout=HANG_S) as page:
            self.assertTrue(page.url.endswith("/run"))
        with opened.open(here + "/api/run", timeout=HANG_S) as answer:
            self.assertEqual(json.load(answer)["command"], "render")
        self.kill(process)

    def test_an_address_that_is_taken_is_refused(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            listen = f"127.0.0.1:{taken.getsockname()[1]}"
            for where in (listen, "nowhere:port"):
                self.assert_refused(("render", *SIZE, "--output", "a.h5", "--serve-listen", where), 2, "--serve-listen")

    def test_a_stopped_run_leaves_no_server(self):
        process, address = self.start("render", "--view", "whole", "--size", "700x500", "--tile", "64", *SLOWLY, "--output",
                                      "a.h5", hold=8)
        self.ask(address, "/api/run")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(process)[0], 75)

        def gone():
            try:
                return not self.ask(address, "/api/run")
            except OSError:
                return True
        wait_until("the server has ended", gone, pause_s=6)  # it would stay for a reader that goes on asking


if __name__ == "__main__":
    main()
