"""`tessera explore`: requests that wait, are outdated, too many or wrong; the state in which the page begins; posters."""

import http.client
import json
import os
import select
from fractions import Fraction

import numpy as np
from explored import INSIDE, SEAHORSES, ExploreTest
from PIL import Image
from program import HANG_S, main
from runs import QUICKLY, SLOWLY, wait_until


class Requests(ExploreTest):
    def test_what_was_begun_for_an_older_view_is_given_up(self):
        explored = self.explore(*INSIDE, *SLOWLY)
        start = explored.start
        squares = ",".join(f"{x},0" for x in range(2))
        self.assertEqual(explored.ask(f"/explore/{start}/0/begin", client="a", view=1, squares=squares)[0], 204)
        self.assertEqual(explored.answered(f"/explore/{start}/0/0/7.png", client="a", view=2, iterations=10)[0], 200)
        for x in range(2):
            self.assertIsNone(explored.json(f"/explore/{start}/0/pixel", x=256 * x, y=0)["count"])

    def test_requests_that_wait_leave_room_for_others(self):
        explored = self.explore(*INSIDE, *SLOWLY)
        start = explored.start
        waiting = []
        self.addCleanup(lambda: [connection.close() for connection in waiting])
        def ask(x):
            connection = http.client.HTTPConnection(explored.host, explored.port, timeout=HANG_S)
            connection.request("GET", f"/explore/{start}/0/{x}/0.png", headers=explored.bearer())
            waiting.append(connection)
            return connection
        for x in range(256):
            ask(x)
        wait_until("a request too many", lambda: ask(len(waiting)) and self.any_is_refused(waiting), .05)
        self.assertEqual(explored.ask("/api/images")[0], 200)
        self.assertEqual(explored.finish(), 0)

    @staticmethod
    def any_is_refused(connections):
        poll = select.poll()
        for connection in connections:
            poll.register(connection.sock, select.POLLIN)
        answered = {descriptor for descriptor, _ in poll.poll(0)}
        return any(connection.getresponse().status == 429 for connection in connections if connection.sock.fileno() in answered)

    def test_a_new_view_drops_squares_that_have_not_begun(self):
        explored = self.explore(*INSIDE, *SLOWLY)
        start = explored.start
        squares = ",".join(f"{x},0" for x in range(40))
        self.assertEqual(explored.ask(f"/explore/{start}/0/begin", client="a", view=1, squares=squares)[0], 204)
        self.assertEqual(explored.answered(f"/explore/{start}/0/50/0.png", client="a", view=2, iterations=10)[0], 200)
        last = explored.json(f"/explore/{start}/0/pixel", x=39 * 256, y=0)
        self.assertIsNone(last["count"], "rendered, although the view is another one")
        self.assertEqual(explored.ask(f"/explore/{start}/0/0/5.png", client="a", view=1)[0], 410)
        self.assertEqual(explored.answered(f"/explore/{start}/0/0/5.png", client="b", view=1, iterations=10)[0], 200)

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

    def test_the_next_minibrot_is_found(self):
        explored = self.explore(*QUICKLY)
        found = explored.json("/api/find", center="-1.75,0.001", width="0.05")
        self.assertEqual((found["period"], found["center"][1]), (3, "0"))
        tricorn = explored.json("/api/find", center="0.5,0.87", width="0.1", formula="tricorn")
        self.assertEqual((tricorn["period"], tricorn["formula"]), (2, "tricorn"))
        for status, words, parameters in ((404, "is proven", {"center": "1,1", "width": "1e-5"}),
                                          (400, "width", {"center": "1,1", "width": "none"}),
                                          (400, "center", {"center": "here", "width": "1"}),
                                          (400, "Julia", {"center": "1,1", "width": "1", "formula": "julia:0,0"})):
            said = explored.ask("/api/find", **parameters)
            self.assertEqual(said[0], status, said)
            self.assertIn(words, json.loads(said[1])["error"])
        self.assertEqual(explored.finish(), 0)

    def test_a_point_is_exact_to_parts_of_a_pixel(self):
        explored = self.explore("--center=-0.5,0.25", "--width", "2", "--matrix", "0,-1,1,0", *QUICKLY)
        # 256 squares of 256 pixels of level 8 are as wide as the place; a quarter of a turn.
        step = Fraction(2, 256 * 256 * 256)
        for x, y in ((0, 0), (1, 0), (-513, 70000001), (2**37, -2**37)):
            point = explored.json(f"/explore/{explored.start}/8/point", x=x, y=y)
            for part, wanted in (("re", Fraction(-1, 2) + y * step), ("im", Fraction(1, 4) + x * step)):
                self.assertLess(abs(Fraction(point[part]) - wanted), step / 100, (x, y, part))
        for parameters in ({"x": 2**37 + 1, "y": 0}, {"x": 0}, {"x": 0.5, "y": 0}):
            self.assertEqual(explored.ask(f"/explore/{explored.start}/8/point", **parameters)[0], 400)

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
                (400, f"/explore/{start}/0/0/0.png", {"light": 3}, "gradient"),
                (400, f"/explore/{start}/0/0/0.png", {"distance": 3}, "distances"),
                (400, f"/explore/{start}/0/0/0.png", {"equalize": "true"}, "equalize"),
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

    def test_a_poster_has_the_colours_and_the_arithmetic_of_the_page(self):
        explored = self.explore("--view", "e50", "--size", "64", "--exact", "off", "--palette", "ember", "--palette-offset", "0.25",
                                "--light", "45", "--bailout", "1000")
        place = dict(zip(("center", "width"), (explored.facts["given"][name] for name in ("center", "width"))))
        job = explored.ask("/api/poster.toml")[1].decode()
        for line in ('exact = "off"', 'palette = "ember"', 'palette-offset = "0.25"', 'light = "45,1.5"', 'bailout = "1000"',
                     f'center = "{place["center"]}"', 'fields = "iterations,smooth,gradient"'):
            self.assertIn(line + "\n", job)
        # What is given is taken, and an empty parameter is what is usual.
        job = explored.ask("/api/poster.toml", **place, palette="ice", offset="", light="", equalize="true")[1].decode()
        self.assertIn('palette = "ice"\nequalize = true\n', job)
        self.assertNotIn("light =", job)
        self.write("poster.toml", job)
        self.assert_done("plan", "poster.toml")
        # A wide place has plain arithmetic, which knows no exact pixels.
        self.assertNotIn("exact", explored.ask("/api/poster.toml", center="0,0", width=3)[1].decode())
        self.assertEqual(explored.ask("/api/poster.toml", equalize="perhaps")[0], 400)

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


if __name__ == "__main__":
    main()
