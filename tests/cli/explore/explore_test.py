"""`tessera explore`: squares have the pixels of rendered files, wherever and by whomever they are made."""

import io
import json
import signal

import numpy as np
from explored import SEAHORSES, ExploreTest, run_together
from images import h5py
from PIL import Image
from program import HANG_S, main, why_missing


class Squares(ExploreTest):
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

    def test_a_turned_plane_has_the_pixels_of_render(self):
        turned = (*SEAHORSES, "--matrix", "0.75,-0.5,0.5,1")
        explored = self.explore(*turned)
        start = explored.start
        np.testing.assert_array_equal(explored.block(start, 1), self.rendered(*turned))
        point = explored.json(f"/explore/{start}/1/pixel", x=-100, y=37)
        u, v = -99.5 * 0.012 / 512, -37.5 * 0.012 / 512
        self.assertAlmostEqual(float(point["re"]), -0.7445 + 0.75 * u - 0.5 * v, delta=0.012 / 51200)
        self.assertAlmostEqual(float(point["im"]), 0.1215 + 0.5 * u + v, delta=0.012 / 51200)
        near = explored.json("/api/places", "POST", place=start, level=2, x=1, y=-1)
        # Rounded twice, so that c differs in its last bit.
        same = explored.square(near["id"], 3, 0, 0) == explored.square(start, 5, 8, -8)
        self.assertGreater(same.mean(), 0.995)
        self.assertIn(b'matrix = "0.75,-0.5,0.5,1"', explored.ask("/api/poster.toml", size="64x48")[1])

    def test_deep_squares_of_a_turned_plane_have_the_counts_of_render(self):
        options = ("--view", "e50", "--size", "128", "--iterations", "20000", "--rotate", "30", "--stretch", "2@10")
        explored = self.explore(*options)
        start = explored.start
        np.testing.assert_array_equal(explored.block(start, 1, coarse=4), self.rendered(*options, "--palette-cycle", "0.35"))
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

    def assert_shaded(self, option, value, field, stored, ranks):
        self.assert_done("color", "image.h5", "shaded.png", "--field", "iterations", "--" + option, value, "--quiet", "--overwrite")
        wanted = np.asarray(Image.open(self.path("shaded.png")).convert("RGB"))
        self.assertTrue((wanted != self.rendered(*SEAHORSES, name=f"plain {option} {ranks}")).any())
        explored = self.explore(*SEAHORSES, "--" + option, value, ranks=ranks)
        facts = explored.facts
        self.assertEqual((facts["fields"], str(facts["look"][option])), (["iterations", "smooth", *stored], value))
        # Dithering goes by the place in an image, and squares have none.
        shown = explored.block(facts["place"]["id"], 1, **{option: value})
        np.testing.assert_allclose(shown.astype(int), wanted, rtol=0, atol=1)
        _, poster = explored.ask("/api/poster.toml", field="iterations", **{option: value})
        self.assertIn(f'{option} = "{value}"\nfields = "iterations,{field}"', poster.decode())
        return explored

    def test_the_edge_and_light_are_drawn_as_color_draws_them(self):
        self.assert_done("render", *SEAHORSES, "--fields", "iterations,smooth,distance,gradient", "--output", "image.h5", "--quiet")
        for ranks in (0, 2):
            explored = self.assert_shaded("distance", "1.5", "distance", ["distance"], ranks)
            point = explored.json(f"/explore/{explored.facts['place']['id']}/1/pixel", x=-3, y=100)
            with h5py.File(self.path("image.h5")) as file:
                self.assertEqual(np.float32(point["distance"]), file["distance"][356, 253])
            explored.finish()
            self.assert_shaded("light", "60,0.5", "gradient", ["gradient_x", "gradient_y"], ranks).finish()
        without = self.explore(*SEAHORSES)
        for option in ("distance", "light"):
            status, body = without.answered(f"/explore/{without.start}/1/0/0.png", field="iterations", **{option: "1.5"})
            self.assertEqual((status, option in body.decode()), (400, True), body)
            self.assert_refused(("explore", "--" + option, "1", "--fields", "iterations"), 2, "--" + option, "--fields")

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
        explored.process.wait(timeout=HANG_S)

    def test_the_gather_rank_saves_rectangles_alone(self):
        wanted = self.rendered(*SEAHORSES)
        explored = self.explore(*SEAHORSES, "--allow-render", ranks=2)
        status, body = explored.ask("/api/images/0/region.png", x=100, y=50, width=64, height=32, field="iterations")
        self.assertEqual(status, 200, body)
        picture = np.asarray(Image.open(io.BytesIO(body)).convert("RGB"))
        np.testing.assert_array_equal(picture, wanted[50:82, 100:164])
        explored.process.send_signal(signal.SIGINT)
        explored.process.wait(timeout=HANG_S)

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
        for level in range(2, 20):  # one rank may be quick enough for few squares
            if len(made) == 1:
                made |= ranks_of_level(level, 2)
        self.assertTrue(1 < len(made) and made <= {0, 1, 2}, made)
        explored.process.send_signal(signal.SIGINT)
        explored.process.wait(timeout=HANG_S)


if __name__ == "__main__":
    main()
