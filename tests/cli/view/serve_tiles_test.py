"""Images in a browser: the pictures of the map, and the smaller scales behind them."""

import os

from program import main
from served import TILE, Served, Server, h5py, np


class Tiles(Served):
    def test_full_and_half_size_are_what_color_makes(self):
        for name, fields in (("a.h5", "iterations"), ("b.h5", "iterations,smooth")):
            self.render("--fields", fields, output=name)
        server = Server(self, "a.h5", "b.h5")
        look = ("--palette", "ember", "--palette-offset", "0.25", "--palette-cycle", "0.7", "--inside", "#304050")
        query = "palette=ember&offset=0.25&length=0.7&inside=304050"
        for image, (name, field) in enumerate((("a.h5", "iterations"), ("b.h5", "smooth"))):
            for level, place in ((0, (0, 0)), (0, (3, 1)), (1, (1, 0))):
                x, y = (part * TILE << level for part in place)
                wanted = self.colored("--region", f"{x},{y},{TILE << level},{TILE << level}", "--scale",
                                      f"1/{1 << level}", *look, data=name)
                np.testing.assert_array_equal(server.tile(level, *place, f"{query}&field={field}", image), wanted)

    def assert_shaded(self, server, option, value):
        """Squares at full and half size are the pictures of `color`; at smaller scales they are on average."""
        for field in ("smooth", "iterations"):
            for level, place in ((0, (1, 1)), (1, (1, 0))):
                x, y = (part * TILE << level for part in place)
                region = ("--region", f"{x},{y},{TILE << level},{TILE << level}", "--scale", f"1/{1 << level}", "--field", field)
                wanted = self.colored(*region, "--" + option, value)
                self.assertTrue((wanted != self.colored(*region)).any())
                np.testing.assert_array_equal(server.tile(level, *place, f"{option}={value}&field={field}"), wanted)
        server.wait_for_scales(query=f"{option}={value}")
        wanted = self.colored("--scale", "1/4", "--" + option, value)[:TILE, :TILE, :3]
        got = server.tile(2, 0, 0, f"{option}={value}")[:wanted.shape[0], :wanted.shape[1], :3]
        self.assertLess(np.abs((got - wanted).mean(axis=(0, 1))).max(), 4)
        self.assertTrue((got != server.tile(2, 0, 0)[:wanted.shape[0], :wanted.shape[1], :3]).any())

    def test_the_edge_of_the_set_and_light_are_drawn_as_color_draws_them(self):
        self.render("--fields", "iterations,smooth,distance,gradient")
        server = Server(self, "a.h5")
        self.assert_shaded(server, "distance", "2.5")
        self.assert_shaded(server, "light", "100,0.5")
        self.assertEqual(server.get("/tiles/0/0/0/0.png?distance=-1").status, 400)
        self.assertEqual(server.get("/tiles/0/0/0/0.png?light=x").status, 400)
        save = "/api/images/0/region.txt?x=0&y=0&width=64&height=64&light=100,0.5"
        self.assertIn("--light=100,0.5", server.get(save).body.decode())

    def test_the_scales_of_all_that_is_shown_are_told(self):
        self.render("--fields", "iterations,smooth,distance,gradient")
        server = Server(self, "a.h5")
        for query in ("", "field=iterations", "distance=1", "light=30"):
            server.wait_for_scales(query=query)
        built = {name for name in os.listdir(self.folder) if name.endswith(".pyramid")}
        self.assertEqual(built, {f"a.h5.{field}.pyramid" for field in ("iterations", "smooth", "distance", "gradient_x", "gradient_y")})

    def test_the_edge_of_the_image_is_transparent_beyond(self):
        self.render()
        server = Server(self, "a.h5")
        tile = server.tile(0, 4, 2)  # 76 of 256 columns, 188 rows
        np.testing.assert_array_equal(tile[:188, :76], self.colored("--region", "1024,512,76,188"))
        self.assertFalse(tile[188:].any() or tile[:, 76:].any())

    def test_smaller_scales_are_the_same_on_average(self):
        self.render()
        server = Server(self, "a.h5")
        server.json("/api/images/0")
        server.wait_for_scales()
        size = {2: (275, 175), 3: (137, 87)}
        for level, (width, height) in size.items():
            wanted = self.colored("--scale", f"1/{1 << level}")[:TILE, :TILE, :3]
            self.assertEqual(self.colored("--scale", f"1/{1 << level}").shape[:2], (height, width))
            got = server.tile(level, 0, 0)[:wanted.shape[0], :wanted.shape[1], :3]
            self.assertLess(np.abs((got - wanted).mean(axis=(0, 1))).max(), 4)

    def test_a_scale_is_kept_beside_the_image_and_is_the_same_again(self):
        self.render()
        first = Server(self, "a.h5")
        first.json("/api/images/0")
        first.wait_for_scales()
        tile = first.tile(3, 0, 0)
        self.assertEqual(first.stop(), (0, ""))  # no word of scales that could not be built
        with h5py.File(self.path("a.h5.iterations.pyramid")) as file, h5py.File(self.path("a.h5")) as image:
            counts, half = image["iterations"][()], file["1/iterations"][()]
            four = np.stack([counts[y::2, x::2] for y in (0, 1) for x in (0, 1)])
            self.assertTrue((four == half).any(axis=0).all())
        status = os.stat(self.path("a.h5.iterations.pyramid"))
        second = Server(self, "a.h5", "--threads", "1")
        self.assertEqual(second.json("/api/images/0")["scales"], 1)
        np.testing.assert_array_equal(second.tile(3, 0, 0), tile)
        self.assertEqual(second.stop(), (0, ""))
        self.assertEqual(os.stat(self.path("a.h5.iterations.pyramid")).st_mtime_ns, status.st_mtime_ns)
        self.assertIn("smaller scales", self.assert_done("clean", "."))
        self.assert_done("clean", ".", "--remove")
        self.assertFalse(os.path.exists(self.path("a.h5.iterations.pyramid")))

    def test_a_killed_server_leaves_its_scales(self):
        self.render()
        first = Server(self, "a.h5")
        first.json("/api/images/0")
        first.wait_for_scales()
        tile = first.tile(3, 0, 0)
        first.process.kill()
        first.process.wait()
        status = os.stat(self.path("a.h5.iterations.pyramid"))
        second = Server(self, "a.h5")
        self.assertEqual(second.json("/api/images/0")["scales"], 1)
        np.testing.assert_array_equal(second.tile(3, 0, 0), tile)
        self.assertEqual(second.stop(), (0, ""))
        self.assertEqual(os.stat(self.path("a.h5.iterations.pyramid")).st_ino, status.st_ino)

    def build_scales(self):
        """Of a new image; a tile of each of the two last ones."""
        self.render()
        server = Server(self, "a.h5")
        server.json("/api/images/0")
        server.wait_for_scales()
        tiles = [server.tile(level, 0, 0) for level in (2, 3)]
        self.assertEqual(server.stop(), (0, ""))
        return tiles

    def test_scales_that_were_spoiled_are_repaired(self):
        tiles = self.build_scales()
        # As a kill leaves it while a step is being written.
        with h5py.File(self.path("a.h5.iterations.pyramid"), "r+") as file:
            file.attrs.modify("status", np.bytes_("unfinished"))
            file["2/checksums"][0] = 1
            file["1/checksums"][1] = 1
        second = Server(self, "a.h5")
        second.json("/api/images/0")
        second.wait_for_scales()
        for level, tile in zip((2, 3), tiles):
            np.testing.assert_array_equal(second.tile(level, 0, 0), tile)
        self.assertEqual(second.stop(), (0, ""))

    def test_damaged_chunks_of_scales_are_shown_as_they_were_and_made_again(self):
        tiles = self.build_scales()
        name = self.path("a.h5.iterations.pyramid")
        for levels in ((1,), (2,), (1, 2)):
            with h5py.File(name) as file:
                places = [file[f"{level}/iterations"].id.get_chunk_info(0) for level in levels]
            with open(name, "r+b") as file:
                for place in places:
                    file.seek(place.byte_offset + place.size // 2)
                    byte = file.read(1)[0]
                    file.seek(-1, os.SEEK_CUR)
                    file.write(bytes([byte ^ 4]))
            server = Server(self, "a.h5")
            for _ in range(2):
                for level, tile in zip((2, 3), tiles):
                    np.testing.assert_array_equal(server.tile(level, 0, 0), tile)
            self.assertEqual(server.stop(), (0, ""))

    def test_palettes_of_files_can_be_chosen(self):
        self.render()
        self.write("own.map", "0 0 0\n255 0 128\n")
        server = Server(self, "a.h5", "--palette-file", "own.map")
        palette = server.json("/api/palettes")[-1]
        self.assertEqual((palette["name"], palette["stops"][0]), ("own.map", "#000000"))
        np.testing.assert_array_equal(server.tile(0, 0, 0, "palette=own.map"),
                                      self.colored("--region", "0,0,256,256", "--palette", "own.map"))
        self.assertEqual(server.get("/tiles/0/0/0/0.png?palette=other.map").status, 400)
        self.assert_refused(("serve", "a.h5", "--palette-file", "none.map"), 3, "none.map")

    def test_a_palette_file_that_changes_gives_other_pictures(self):
        self.render()
        self.write("own.map", "0 0 0\n255 0 128\n")
        server = Server(self, "a.h5", "--palette-file", "own.map")
        server.wait_for_scales()
        version = server.json("/api/images/0")["version"]
        target = f"/tiles/0/0/0/0.png?palette=own.map&version={version}"
        kept = server.get(target)
        self.assertIn("immutable", kept.headers["cache-control"])
        self.write("own.map", "0 0 0\n0 255 0\n")
        again = server.get(target, If_None_Match=kept.headers["etag"])
        self.assertEqual(again.status, 200)
        self.assertNotIn("immutable", again.headers["cache-control"])
        wanted = self.colored("--region", "0,0,256,256", "--palette", "own.map")
        np.testing.assert_array_equal(again.pixels(), wanted)
        for asked in (server, Server(self, "a.h5", "--palette-file", "own.map")):
            self.assertNotEqual(asked.json("/api/images/0")["version"], version)

    def test_scales_of_an_earlier_version_are_made_again(self):
        tiles = self.build_scales()
        with h5py.File(self.path("a.h5.iterations.pyramid"), "r+") as file:
            current = file.attrs["format_version"]
            self.assertGreater(current, 2)  # which marked missing pixels by 0
            file.attrs.modify("format_version", type(current)(2))
        server = Server(self, "a.h5")
        server.json("/api/images/0")
        server.wait_for_scales()
        np.testing.assert_array_equal(server.tile(3, 0, 0), tiles[1])
        self.assertEqual(server.stop(), (0, ""))
        with h5py.File(self.path("a.h5.iterations.pyramid")) as file:
            self.assertEqual(file.attrs["format_version"], current)

    def test_a_damaged_scale_is_made_again(self):
        self.render()
        self.write("a.h5.iterations.pyramid", "no HDF5 file")
        server = Server(self, "a.h5")
        server.json("/api/images/0")
        server.wait_for_scales()
        self.assertEqual(server.stop(), (0, ""))
        with h5py.File(self.path("a.h5.iterations.pyramid")) as file:
            self.assertEqual(file.attrs["status"], b"complete")

    def test_a_version_that_is_named_may_be_kept(self):
        self.render()
        server = Server(self, "a.h5")
        server.json("/api/images/0")
        server.wait_for_scales()
        version = server.json("/api/images/0")["version"]
        for level in (0, 2):
            kept = server.get(f"/tiles/0/{level}/0/0.png?version={version}")
            self.assertIn("immutable", kept.headers["cache-control"])
            again = server.get(f"/tiles/0/{level}/0/0.png?version={version}", If_None_Match=kept.headers["etag"])
            self.assertEqual((again.status, again.body), (304, b""))
            other = server.get(f"/tiles/0/{level}/0/0.png?version=1")
            self.assertIn("no-cache", other.headers["cache-control"])

    def test_scales_are_built_in_steps(self):
        for side in (32, 33):  # tiles of a square of 32 x 32, and in more than one
            size = side * 32
            self.assert_done("render", "--view", "whole", "--size", f"{size}x{size}", "--iterations", "20", "--tile", "32",
                             "--fields", "iterations", "--device", "cpu", "--quiet", "--output", f"{side}.h5")
            server = Server(self, f"{side}.h5")
            server.json("/api/images/0")
            server.wait_for_scales()
            self.assertTrue((server.tile(2, 0, 0)[..., 3] == 255).all())
            wanted = self.colored("--scale", "1/4", data=f"{side}.h5")[:TILE, :TILE, :3]
            self.assertLess(np.abs(server.tile(2, 0, 0)[..., :3] - wanted).mean(), 12)


if __name__ == "__main__":
    main()
