#!/usr/bin/env python3
"""`tessera explore` over HTTP: squares have the pixels of rendered files, wherever and by whomever they are made."""

import http.client
import io
import json
import os
import re
import signal
import subprocess
import threading
import urllib.parse

import numpy as np
from images import h5py
from PIL import Image
from program import TESSERA, launched, main, why_missing
from runs import QUICKLY, SLOWLY, RunTest, wait_until

SEAHORSES = ("--center=-0.7445,0.1215", "--width", "0.012", "--size", "512", "--iterations", "700")
# A point inside the set: every pixel takes all iterations.
INSIDE = ("--center=-0.1,0.1", "--width", "1e-3", "--iterations", "400000")


class Explored:
    """A program that explores; its address is what it printed."""

    def __init__(self, test, *arguments, ranks=0):
        self.process = subprocess.Popen(launched([TESSERA, "explore", *arguments], ranks), cwd=test.folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        test.addCleanup(self.kill)
        line = self.process.stdout.readline()
        found = re.search(r"http://([^/]+):(\d+)/(?:\?token=([0-9a-f]{32}))?\n", line)
        if not found:
            self.process.kill()
            raise AssertionError(f"no address in {line!r}: {self.process.communicate()[1]}")
        self.host, self.port, self.token = found.group(1), int(found.group(2)), found.group(3)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def ask(self, path, method="GET", headers=None, **parameters):
        """Status and body."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=100)
        query = urllib.parse.urlencode(parameters)
        bearer = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        connection.request(method, path + ("?" + query if query else ""), headers=headers or bearer)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def json(self, path, method="GET", **parameters):
        status, body = self.ask(path, method, **parameters)
        assert status == 200, (status, body)
        return json.loads(body)

    def square(self, place, level, x, y, **parameters):
        """The pixels of a square, RGB."""
        status, body = self.ask(f"/explore/{place}/{level}/{x}/{y}.png", field="iterations", **parameters)
        assert status == 200, (status, body)
        return np.asarray(Image.open(io.BytesIO(body)).convert("RGB"))

    def block(self, place, level, **parameters):
        """The four squares round the place."""
        return np.vstack([np.hstack([self.square(place, level, x, y, **parameters) for x in (-1, 0)]) for y in (-1, 0)])

    @property
    def facts(self):
        return self.json("/api/images")["explore"]

    @property
    def start(self):
        return self.facts["place"]["id"]

    def finish(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=60)


def run_together(work, items):
    threads = [threading.Thread(target=work, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class ExploreTest(RunTest):
    def explore(self, *arguments, ranks=0):
        return Explored(self, *arguments, ranks=ranks)

    def rendered(self, *options, name="image"):
        """The picture that color makes of the counts of a file."""
        self.assert_done("render", *options, "--output", f"{name}.h5", "--quiet")
        self.assert_done("color", f"{name}.h5", f"{name}.png", "--field", "iterations", "--quiet")
        return np.asarray(Image.open(self.path(f"{name}.png")).convert("RGB"))

    def test_squares_have_the_pixels_of_render(self):
        explored = self.explore(*SEAHORSES)
        start = explored.start
        np.testing.assert_array_equal(explored.block(start, 1), self.rendered(*SEAHORSES))
        coarse = self.rendered(*SEAHORSES, "--size", "64", name="coarse")
        np.testing.assert_array_equal(explored.block(start, 1, coarse=8), coarse)
        self.assertEqual(explored.finish(), 0)

    def test_a_point_has_its_count(self):
        explored = self.explore(*SEAHORSES)
        start = explored.start
        self.rendered(*SEAHORSES)
        with h5py.File(self.path("image.h5")) as file:
            counts = file["iterations"][...]
        before = explored.json(f"/explore/{start}/1/pixel", x=-3, y=100)
        self.assertIsNone(before["count"])
        explored.block(start, 1)
        for x, y in ((-256, -256), (-3, 100), (0, 0), (255, -1)):
            point = explored.json(f"/explore/{start}/1/pixel", x=x, y=y)
            self.assertEqual(point["count"], counts[y + 256, x + 256])
            self.assertAlmostEqual(float(point["re"]), -0.7445 + (x + 0.5) * 0.012 / 512, delta=0.012 / 51200)
            self.assertAlmostEqual(float(point["im"]), 0.1215 - (y + 0.5) * 0.012 / 512, delta=0.012 / 51200)

    def test_a_point_with_many_iterations_has_its_count(self):
        # A call has at most 2^28 steps: whole squares of 4096 iterations, and all rows but one of 4097.
        for iterations in (4096, 4097, 3_000_000):
            options = ("--center=-0.7445,0.1215", "--width", "0.012", "--size", "512", "--iterations", str(iterations))
            explored = self.explore(*options)
            np.testing.assert_array_equal(explored.square(explored.start, 1, 0, 0),
                                          self.rendered(*options, name=f"n{iterations}")[256:, 256:])

    def test_a_place_that_was_reached_by_steps_has_the_same_pixels(self):
        explored = self.explore(*SEAHORSES)
        start = explored.start
        near = explored.json("/api/places", "POST", place=start, level=2, x=1, y=-1)
        np.testing.assert_array_equal(explored.square(near["id"], 3, 0, 0), explored.square(start, 5, 8, -8))
        again = explored.json("/api/places", "POST", place=start, level=2, x=1, y=-1)
        self.assertEqual(again, near)
        self.assertEqual(explored.json(f"/api/places/{near['id']}"), near)
        typed = explored.json("/api/places", "POST", center="-0.7445,0.1215", width="0.012")
        self.assertEqual(typed["id"], start)

    def test_formula_and_iterations_are_those_of_the_request(self):
        explored = self.explore("--size", "512", "--center=-0.4,0.1", "--width", "2")
        options = ("--size", "512", "--center=-0.4,0.1", "--width", "2", "--formula", "julia:-0.8,0.156", "--iterations", "300")
        np.testing.assert_array_equal(
            explored.block(explored.start, 1, formula="julia:-0.8,0.156", iterations=300), self.rendered(*options))
        # A square of this level is 1 wide, one that is two levels deeper a quarter.
        self.assertEqual(explored.json(f"/explore/{explored.start}/1/pixel", x=0, y=0)["iterations"], 1000)
        self.assertEqual(explored.json(f"/explore/{explored.start}/3/pixel", x=0, y=0)["iterations"], 1500)

    def test_deep_squares_have_the_counts_of_render(self):
        options = ("--view", "e50", "--size", "128", "--iterations", "20000")
        explored = self.explore(*options)
        start = explored.start
        self.assertTrue(explored.json(f"/explore/{start}/1/pixel", x=0, y=0)["perturbation"])
        # Color would spread the counts otherwise.
        expected = self.rendered(*options, "--palette-cycle", "0.35")
        np.testing.assert_array_equal(explored.block(start, 1, coarse=4), expected)
        # The same squares from another place, with another reference orbit.
        near = explored.json("/api/places", "POST", place=start, level=3, x=3, y=2)
        np.testing.assert_array_equal(explored.square(near["id"], 0, 0, 0), explored.square(start, 3, 3, 2))

    def test_a_gpu_renders_deep_squares(self):
        if missing := why_missing("opencl"):
            self.skipTest(missing)
        options = ("--view", "e50", "--size", "128", "--iterations", "20000")
        expected = self.rendered(*options, "--palette-cycle", "0.35")
        explored = self.explore(*options, "--device", "opencl")
        start = explored.start
        # Squares of different images, whose tables take turns on the device.
        pictures = [None] * 12
        def get(number):
            coarse = (4, 8, 2)[number // 4]
            pictures[number] = explored.square(start, 1, number % 2 - 1, number // 2 % 2 - 1, coarse=coarse)
        run_together(get, range(12))
        np.testing.assert_array_equal(np.vstack([np.hstack(pictures[0:2]), np.hstack(pictures[2:4])]), expected)
        self.assertEqual([picture.shape[0] for picture in pictures], [64] * 4 + [32] * 4 + [128] * 4)
        self.assertEqual(explored.finish(), 0)

    def test_an_orbit_that_memory_cannot_hold_is_refused(self):
        # Its orbit approaches 1/2 without end.
        explored = self.explore("--center=0.25,0", "--width", "1e-30", "--memory", "128M", "--arithmetic", "perturbation")
        status, body = explored.ask(f"/explore/{explored.start}/0/0/0.png", iterations=4_000_000_000)
        self.assertEqual(status, 500)
        self.assertIn("--memory", json.loads(body)["error"])

    def test_what_was_begun_for_an_older_view_is_given_up(self):
        explored = self.explore(*INSIDE, *SLOWLY)
        start = explored.start
        squares = ",".join(f"{x},0" for x in range(2))
        self.assertEqual(explored.ask(f"/explore/{start}/0/begin", client="a", view=1, squares=squares)[0], 204)
        self.assertEqual(explored.ask(f"/explore/{start}/0/0/7.png", client="a", view=2, iterations=10)[0], 200)
        for x in range(2):
            self.assertIsNone(explored.json(f"/explore/{start}/0/pixel", x=256 * x, y=0)["count"])

    def test_requests_that_wait_leave_room_for_others(self):
        explored = self.explore(*INSIDE, *SLOWLY)
        start = explored.start
        waiting = []
        self.addCleanup(lambda: [connection.close() for connection in waiting])
        def ask(x):
            connection = http.client.HTTPConnection(explored.host, explored.port, timeout=100)
            connection.request("GET", f"/explore/{start}/0/{x}/0.png")
            waiting.append(connection)
            return connection
        for x in range(256):
            ask(x)
        wait_until("a request too many", lambda: self.refusal(ask(len(waiting))) == 429, .05)
        self.assertEqual(explored.ask("/api/images")[0], 200)
        self.assertEqual(explored.finish(), 0)

    @staticmethod
    def refusal(connection):
        """Its status, if it is answered soon."""
        connection.sock.settimeout(.2)
        try:
            return connection.getresponse().status
        except TimeoutError:
            return None

    def test_a_new_view_drops_squares_that_have_not_begun(self):
        explored = self.explore(*INSIDE, "--iterations", "400", *SLOWLY)
        start = explored.start
        squares = ",".join(f"{x},0" for x in range(40))
        self.assertEqual(explored.ask(f"/explore/{start}/0/begin", client="a", view=1, squares=squares)[0], 204)
        self.assertEqual(explored.ask(f"/explore/{start}/0/50/0.png", client="a", view=2)[0], 200)
        last = explored.json(f"/explore/{start}/0/pixel", x=39 * 256, y=0)
        self.assertIsNone(last["count"], "rendered, although the view is another one")
        self.assertEqual(explored.ask(f"/explore/{start}/0/0/5.png", client="a", view=1)[0], 410)
        self.assertEqual(explored.ask(f"/explore/{start}/0/0/5.png", client="b", view=1)[0], 200)

    def test_too_many_squares_are_refused(self):
        explored = self.explore(*INSIDE, *SLOWLY)
        start = explored.start
        for row in range(3):
            squares = ",".join(f"{x},{row}" for x in range(256))
            self.assertEqual(explored.ask(f"/explore/{start}/0/begin", squares=squares)[0], 204)
        status, body = explored.ask(f"/explore/{start}/0/0/99.png")
        self.assertEqual(status, 429)
        self.assertIn("later", json.loads(body)["error"])
        self.assertEqual(explored.ask("/api/images")[0], 200)
        self.assertEqual(explored.finish(), 0)

    def test_wrong_requests_say_why(self):
        explored = self.explore(*QUICKLY)
        start = explored.start
        for status, path, parameters, word in (
                (404, "/explore/999/0/0/0.png", {}, "place"),
                (404, f"/explore/{start}/99/0/0.png", {}, "level"),
                (404, f"/explore/{start}/0/{1 << 40}/0.png", {}, "x"),
                (400, f"/explore/{start}/0/0/0.png", {"coarse": 3}, "coarse"),
                (400, f"/explore/{start}/0/0/0.png", {"iterations": "many"}, "iterations"),
                (400, f"/explore/{start}/0/0/0.png", {"formula": "nova"}, "formula"),
                (400, f"/explore/{start}/0/0/0.png", {"palette": "/etc/passwd"}, "palette"),
                (400, f"/explore/{start}/24/1000000/0.png", {"formula": "tricorn", "view": "x"}, "view"),
                (400, f"/explore/{start}/0/begin", {"squares": "1,2,3"}, "pairs"),
                (404, "/api/places/77", {}, "place")):
            answer, body = explored.ask(path, **parameters)
            self.assertEqual(answer, status, (path, parameters, body))
            self.assertIn(word, json.loads(body)["error"])
        self.assertEqual(explored.ask("/api/places", "POST", center="1,2", width="zero")[0], 400)
        self.assertEqual(explored.ask("/api/render", "POST")[0], 403)
        self.assertEqual(explored.ask("/api/render")[0], 404)
        other = {"Origin": "http://other.example"}
        self.assertEqual(explored.ask("/api/places", "POST", other, center="0,0", width="1")[0], 403)
        own = {"Origin": f"http://{explored.host}:{explored.port}"}
        self.assertEqual(explored.ask("/api/places", "POST", own, center="0,0", width="1")[0], 200)

    def test_the_page_begins_with_the_job(self):
        self.write("job.toml", 'view = "seahorse"\niterations = 900\npalette = "ice"\ninside = "255,0,16"\noutput = "other.h5"')
        facts = self.explore("job.toml", "--formula", "multibrot:3").facts
        self.assertEqual((facts["formula"], facts["iterations"]), ("multibrot:3", 900))
        self.assertEqual((facts["look"]["palette"], facts["look"]["inside"]), ("ice", "#ff0010"))
        self.assertEqual(facts["place"]["width"], "25e-4")
        deeper = self.explore("--view", "seahorse", "--fields", "iterations").facts
        self.assertEqual((deeper["iterations"], deeper["least_iterations"], deeper["fields"]), (None, 5000, ["iterations"]))
        self.assert_refused(("explore", "--output", "x.h5"), 2, "--output")

    def test_palettes_of_files_can_be_chosen(self):
        os.mkdir(self.path("colours"))
        self.write("colours/own.map", "0 0 0\n255 0 128\n")
        self.write("other.map", "10 20 30\n200 200 0\n")
        explored = self.explore(*SEAHORSES, "--palette", "colours/own.map", "--palette-file", "other.map")
        names = [palette["name"] for palette in explored.json("/api/palettes")]
        self.assertEqual(names[-2:], ["other.map", "own.map"])
        self.assertEqual(explored.facts["look"]["palette"], "own.map")
        self.rendered(*SEAHORSES)
        for name, path in (("own.map", "colours/own.map"), ("other.map", "other.map")):
            self.assert_done("color", "image.h5", "own.png", "--field", "iterations", "--quiet", "--palette", path, "--overwrite")
            wanted = np.asarray(Image.open(self.path("own.png")).convert("RGB"))
            np.testing.assert_array_equal(explored.block(explored.start, 1, palette=name), wanted)
        _, poster = explored.ask("/api/poster.toml", palette="own.map")
        self.assertIn('palette = "colours/own.map"', poster.decode())
        self.assertEqual(explored.ask(f"/explore/{explored.start}/0/0/0.png", palette="colours/own.map")[0], 400)
        self.write("colours/other.map", "0 0 0\n1 1 1\n")
        self.assert_refused(("explore", "--palette-file", "other.map,colours/other.map"), 2, "same name")
        self.assert_refused(("explore", "--palette-file", "none.map"), 3, "none.map")

    def test_the_edge_is_drawn_as_color_draws_it(self):
        cache = self.path("cache")
        self.assert_done("render", *SEAHORSES, "--fields", "iterations,smooth,distance", "--output", "image.h5", "--quiet")
        self.assert_done("color", "image.h5", "edge.png", "--field", "iterations", "--distance", "1.5", "--quiet")
        wanted = np.asarray(Image.open(self.path("edge.png")).convert("RGB"))
        self.assertTrue((wanted != self.rendered(*SEAHORSES, name="plain")).any())
        for ranks in (0, 2, 0):  # the last one takes them from the disk
            explored = self.explore(*SEAHORSES, "--distance", "1.5", *(() if ranks else ("--cache", cache)), ranks=ranks)
            facts = explored.facts
            self.assertEqual((facts["fields"], facts["look"]["distance"]), (["iterations", "smooth", "distance"], 1.5))
            # Dithering goes by the place in an image, and squares have none.
            np.testing.assert_allclose(explored.block(facts["place"]["id"], 1, distance="1.5").astype(int), wanted, rtol=0, atol=1)
            point = explored.json(f"/explore/{facts['place']['id']}/1/pixel", x=-3, y=100)
            with h5py.File(self.path("image.h5")) as file:
                self.assertEqual(np.float32(point["distance"]), file["distance"][356, 253])
            _, poster = explored.ask("/api/poster.toml", distance="1.5", field="iterations")
            self.assertIn('distance = "1.5"\nfields = "iterations,distance"', poster.decode())
            explored.finish()
        without = self.explore(*SEAHORSES)
        np.testing.assert_array_equal(without.block(without.start, 1, distance="1.5"), self.rendered(*SEAHORSES, name="again"))
        self.assert_refused(("explore", "--distance", "1", "--fields", "iterations"), 2, "--distance", "--fields")

    def test_a_poster_has_the_pixels_that_were_seen(self):
        explored = self.explore(*SEAHORSES, "--palette", "ember")
        status, text = explored.ask("/api/poster.toml", center="-0.7445,0.1215", width="0.012", size="512x512",
                                    iterations=700, palette="ember")
        self.assertEqual(status, 200, text)
        self.write("poster.toml", text.decode())
        self.assert_done("render", "poster.toml", "--output", "poster.h5", "--quiet")
        self.assert_done("color", "poster.h5", "poster.png", "--field", "iterations", "--palette", "ember", "--quiet")
        poster = np.asarray(Image.open(self.path("poster.png")).convert("RGB"))
        np.testing.assert_array_equal(explored.block(explored.start, 1, palette="ember"), poster)
        status, plan = explored.ask("/api/plan", center="-0.7445,0.1215", width="0.012", size="512x512")
        self.assertEqual(status, 200, plan)
        self.assertIn(b"512 x 512", plan)

    def test_a_poster_can_be_rendered_from_the_page(self):
        explored = self.explore(*SEAHORSES, "--allow-render")
        poster = {"center": "-0.7445,0.1215", "width": "0.012", "size": "300x200", "iterations": 700}
        status, _ = explored.ask("/api/render", "POST", {"Authorization": "Bearer " + "0" * 32}, **poster)
        self.assertEqual(status, 401)
        answer = explored.json("/api/render", "POST", **poster)
        wait_until("the poster is rendered", lambda: os.path.exists(self.path("poster-1.png")), .1)
        self.assertEqual(answer["file"], "poster-1.h5")
        wait_until("it is listed", lambda: "poster-1.h5" in [image["name"] for image in explored.json("/api/images")["images"]], .2)
        self.assertEqual(explored.finish(), 0)

    def test_squares_on_the_disk_are_taken_from_there_if_they_are_whole(self):
        cache = self.path("cache")
        first = self.explore(*SEAHORSES, "--cache", cache)
        expected = first.block(first.start, 1)
        self.assertEqual(first.finish(), 0)
        files = sorted(os.path.join(cache, name) for name in os.listdir(cache))
        self.assertEqual(len(files), 4)
        times = [os.stat(name).st_ino for name in files]
        with open(files[0], "r+b") as file:
            file.seek(20000)
            file.write(b"damage")
        again = self.explore(*SEAHORSES, "--cache", cache)
        np.testing.assert_array_equal(again.block(again.start, 1), expected)
        self.assertEqual([os.stat(name).st_ino == time for name, time in zip(files, times)], [False, True, True, True])

    def test_the_cache_on_the_disk_has_an_end(self):
        cache = self.path("cache")
        explored = self.explore(*SEAHORSES, "--cache", cache, "--cache-size", "2M")
        for x in range(-4, 4):
            explored.square(explored.start, 3, x, 0)
        size = sum(os.path.getsize(os.path.join(cache, name)) for name in os.listdir(cache))
        self.assertTrue(400_000 < size <= 2 << 20, size)

    def test_ranks_render_deep_squares(self):
        options = ("--view", "e50", "--size", "128", "--iterations", "20000")
        explored = self.explore(*options, "--threads", "1", ranks=3)
        start = explored.start
        pictures = {}
        def get(place):
            pictures[place] = explored.square(start, 1, *place, coarse=4)
        places = [(x, y) for y in range(-2, 2) for x in range(-2, 2)]
        run_together(get, places)
        rows = [np.hstack([pictures[x, y] for x in (-1, 0)]) for y in (-1, 0)]
        np.testing.assert_array_equal(np.vstack(rows), self.rendered(*options, "--palette-cycle", "0.35"))
        explored.process.send_signal(signal.SIGINT)
        explored.process.wait(timeout=60)

    def test_ranks_render_the_same_squares(self):
        explored = self.explore(*SEAHORSES, "--threads", "1", ranks=3)
        alone = self.rendered(*SEAHORSES)
        pictures = {}

        def get(level, x, y):
            pictures[level, x, y] = explored.square(explored.start, level, x, y)

        def ranks_of_level(level, side):
            """Asks for all squares at once."""
            places = [(level, x, y) for x in range(-side, side) for y in range(-side, side)]
            run_together(lambda place: get(*place), places)
            return {explored.json(f"/explore/{explored.start}/{level}/pixel", x=x, y=y)["rank"] for _, x, y in places}

        made = ranks_of_level(1, 1)
        block = np.vstack([np.hstack([pictures[1, x, y] for x in (-1, 0)]) for y in (-1, 0)])
        np.testing.assert_array_equal(block, alone)
        for level in range(2, 9):  # one rank may be quick enough for few squares
            if len(made) == 1:
                made |= ranks_of_level(level, 2)
        self.assertTrue(1 < len(made) and made <= {0, 1, 2}, made)
        explored.process.send_signal(signal.SIGINT)
        explored.process.wait(timeout=60)


if __name__ == "__main__":
    main()
