"""Images beyond f64 in a browser have the colours that all commands give them: equalized, for the whole image."""

from program import main
from runs import wait_until
from served import Served, Server, TILE, np

DEEP = ("--center=-2,1e-19", "--width", "1e-18", "--iterations", "300", "--size", "600x400", "--fields", "iterations,smooth",
        "--tile", "64", "--device", "cpu", "--quiet", "--output", "a.h5")


def part(pixels, level, x, y):
    """A tile of a picture of the whole image at that scale, beyond which it is transparent."""
    tile = np.zeros((TILE, TILE, 4), int)
    inner = pixels[y * TILE:(y + 1) * TILE, x * TILE:(x + 1) * TILE]
    tile[:inner.shape[0], :inner.shape[1]] = inner
    return tile


class Equalized(Served):
    def tiles_are(self, server, query, *options):
        for level, places in ((0, ((0, 0), (2, 1))), (1, ((0, 0), (1, 0)))):
            wanted = self.colored("--scale", f"1/{1 << level}", *options)
            for x, y in places:
                np.testing.assert_array_equal(server.tile(level, x, y, query), part(wanted, level, x, y), f"{level} {x} {y}")

    def test_tiles_are_those_of_color_with_its_defaults(self):
        self.assert_done("render", *DEEP)
        server = Server(self, "a.h5")
        self.assertTrue(server.json("/api/images/0")["beyond_f64"])
        self.tiles_are(server, "")
        self.tiles_are(server, "field=iterations", "--field", "iterations")
        self.tiles_are(server, "equalize=true&length=2&offset=0.25", "--equalize", "--palette-cycle", "2", "--palette-offset", "0.25")
        self.assertTrue((server.tile(0, 0, 0) != server.tile(0, 0, 0, "equalize=false")).any())

    def test_a_page_can_turn_it_off(self):
        self.assert_done("render", *DEEP)
        server = Server(self, "a.h5")
        for query in ("equalize=false", "length=0.35"):
            self.tiles_are(server, query, "--palette-cycle", "0.35")
            self.assertEqual(server.json(f"/api/images/0?{query}")["histogram"], 0)
        self.assertEqual(server.get("/tiles/0/0/0/0.png?equalize=perhaps").status, 400)

    def test_other_images_are_equalized_if_that_is_asked_for(self):
        self.render()
        server = Server(self, "a.h5")
        self.assertFalse(server.json("/api/images/0")["beyond_f64"])
        np.testing.assert_array_equal(server.tile(0, 0, 0), self.colored("--region", "0,0,256,256"))
        np.testing.assert_array_equal(server.tile(0, 1, 1, "equalize=true"), part(self.colored("--equalize"), 0, 1, 1))

    def test_an_image_that_grows_gets_other_colours_and_another_version(self):
        self.assert_done("render", *DEEP, "--share", "1/2")
        server = Server(self, "a.h5")
        server.wait_for_scales()  # their growth changes the version, too
        half = server.json("/api/images/0")
        self.assertFalse(half["complete"])
        # All that is there, and nothing else.
        np.testing.assert_array_equal(server.tile(0, 1, 0), part(self.colored(data="a.h5.part"), 0, 1, 0))
        kept = server.get(f"/tiles/0/0/1/0.png?version={half['version']}")
        self.assertIn("immutable", kept.headers["cache-control"])
        self.assert_done("render", *DEEP)
        wait_until("the image is complete", lambda: server.json("/api/images/0")["complete"])
        whole = server.json("/api/images/0")
        self.assertNotEqual(whole["histogram"], half["histogram"])
        self.assertNotEqual(whole["version"], half["version"])
        self.tiles_are(server, f"version={whole['version']}")
        again = server.get(f"/tiles/0/0/1/0.png?version={half['version']}")
        self.assertNotIn("immutable", again.headers["cache-control"])
        self.assertNotEqual(again.headers["etag"], kept.headers["etag"])


if __name__ == "__main__":
    main()
