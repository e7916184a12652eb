"""Images in a browser: what a server tells about files, also about those that grow."""

import json
import os
import threading

from program import main
from runs import SLOWLY, wait_until
from served import PLACE, TILE, Image, Served, Server, h5py, np


class Facts(Served):
    def test_a_pixel_tells_what_the_file_has(self):
        self.render("--fields", "iterations,smooth")
        server = Server(self, "a.h5")
        with h5py.File(self.path("a.h5")) as file:
            for x, y in ((0, 0), (1099, 699), (300, 200)):
                pixel = server.json(f"/api/images/0/pixel?x={x}&y={y}")
                self.assertEqual(pixel["count"], file["iterations"][y, x])
                self.assertEqual(np.float32(pixel["smooth"]), file["smooth"][y, x])
                self.assertEqual(pixel["inside"], bool(file["iterations"][y, x] == 500))
                self.assertEqual(pixel["tile"], [y // 128, x // 128])
                self.assertEqual((pixel["rank"], pixel["device"]), (0, "cpu"))
                step = file.attrs["width"] / 1100
                self.assertAlmostEqual(float(pixel["re"]), file["re"][x], delta=step / 10)
                self.assertAlmostEqual(float(pixel["im"]), file["im"][y], delta=step / 10)

    def test_a_count_just_below_a_large_limit_is_outside(self):
        """Where f32 has no odd numbers: an orbit close to the cusp, which escapes after 30 million steps."""
        place = ("--center", "0.25000000000001,0", "--width", "1e-14", "--size", "1x1", "--arithmetic", "plain", "--fields", "iterations",
                 "--device", "cpu", "--quiet")
        self.assert_done("render", *place, "--iterations", "100000000", "--output", "a.h5")
        with h5py.File(self.path("a.h5")) as file:
            count = int(file["iterations"][0, 0])
        limit = next(limit for limit in (count + 1, count + 2) if np.float32(limit) == np.float32(count))
        self.assert_done("render", *place, "--iterations", str(limit), "--output", "b.h5")
        pixel = Server(self, "b.h5").json("/api/images/0/pixel?x=0&y=0")
        self.assertEqual((pixel["count"], pixel["inside"]), (count, False))

    def test_coordinates_of_deep_images_have_the_digits_that_they_need(self):
        self.assert_done("render", "--center=-1.5,1e-40", "--width=1e-38", "--size=300x200", "--iterations=50",
                         "--device=cpu", "--quiet", "--output=deep.h5")
        pixel = Server(self, "deep.h5").json("/api/images/0/pixel?x=150&y=100")
        self.assertTrue(pixel["re"].startswith("-1.4999999999"), pixel)
        self.assertIn(len(pixel["re"].split(".")[1]), range(40, 45))

    def test_the_map_has_a_cell_for_each_tile(self):
        self.render()
        tiles = Server(self, "a.h5").json("/api/images/0/map")
        self.assertEqual((tiles["columns"], tiles["rows"], tiles["tile_width"]), (9, 6, 128))
        self.assertEqual(tiles["state"], [1] * 54)
        self.assertEqual(tiles["device_names"], ["cpu"])
        self.assertTrue(all(value >= 0 for value in tiles["seconds"]))

    def test_a_large_map_joins_tiles(self):
        for columns, cells, width in ((256, 256, 8), (257, 129, 16)):
            self.assert_done("render", "--view", "whole", "--size", f"{columns * 8}x16", "--iterations", "20", "--tile", "8",
                             "--fields", "iterations", "--device", "cpu", "--quiet", "--output", f"{columns}.h5")
            tiles = Server(self, f"{columns}.h5").json("/api/images/0/map")
            self.assertEqual((tiles["columns"], tiles["tile_width"]), (cells, width))
            self.assertEqual(tiles["state"], [1] * cells * tiles["rows"])

    def test_attributes_that_users_typed_are_text(self):
        self.render()
        with h5py.File(self.path("a.h5"), "a") as file:
            file.attrs["note"] = '<script>"\x01</script>'
        attributes = Server(self, "a.h5").json("/api/images/0")["attributes"]
        self.assertEqual(attributes["note"], '<script>"\x01</script>')
        self.assertEqual(attributes["size"], "1100x700")

    def test_palettes_are_the_built_in_ones(self):
        self.write("mine.pal", "0 0 0\n255 255 255\n")
        self.render()
        palettes = Server(self, ".").json("/api/palettes")
        said = json.loads(self.assert_done("palettes", "--json"))["palettes"]
        self.assertEqual([one["name"] for one in palettes], [one["name"] for one in said])
        self.assertTrue(all(len(one["stops"]) == 32 for one in palettes))

    def test_a_folder_shows_its_images_and_new_ones(self):
        self.render(output="b.h5")
        self.write("other.h5", "no image")
        server = Server(self)
        self.assertEqual([one["name"] for one in server.json("/api/images")["images"]], ["b.h5"])
        self.render(output="a.h5")
        wait_until("the new file is shown", lambda: len(server.json("/api/images")["images"]) == 2)
        names = {one["id"]: one["name"] for one in server.json("/api/images")["images"]}
        self.assertEqual(names[0], "b.h5")

    def test_files_of_one_name_have_their_folders(self):
        for number, folder in enumerate(("b", "a", "a/b")):
            os.mkdir(self.path(folder))
            self.render("--iterations", str(100 + number), output=f"{folder}/x.h5")
        self.render(output="y.h5")

        def names(*paths):
            return {image["name"]: image["iterations"] for image in Server(self, *paths).json("/api/images")["images"]}
        self.assertEqual(names("b", "./a", "y.h5", "."), {"b/x.h5": 100, "a/x.h5": 101, "y.h5": 500})
        here = os.path.basename(self.folder)
        self.assertEqual(names("b", "a", "a/b/x.h5"), {f"{here}/b/x.h5": 100, f"{here}/a/x.h5": 101, "a/b/x.h5": 102})


class Regions(Served):
    def test_another_image_with_the_time_of_the_old_one_is_shown(self):
        self.render()
        server = Server(self, "a.h5")
        versions = []
        for iterations in (300, 400):  # the first one, with a time of its own, to be read by a request
            self.render("--iterations", str(iterations), output="b.h5")
            os.utime(self.path("b.h5"), ns=(10**18, 10**18))
            os.replace(self.path("b.h5"), self.path("a.h5"))
            wait_until("the other image is shown", lambda: server.json("/api/images/0")["iterations"] == iterations)
            versions.append(server.json("/api/images/0")["version"])
        self.assertNotEqual(*versions)
        np.testing.assert_array_equal(server.tile(0, 0, 0), self.colored("--region", "0,0,256,256"))

    def test_a_region_is_a_picture_a_job_and_a_command(self):
        self.render()
        os.mkdir(self.path("scratch"))
        server = Server(self, "a.h5", env={**os.environ, "TMPDIR": self.path("scratch")})
        rectangle = "x=100&y=50&width=301&height=200&scale=1/2&palette=ocean"
        picture = server.get(f"/api/images/0/region.png?{rectangle}")
        self.assertEqual((picture.status, picture.headers["content-type"]), (200, "image/png"))
        wanted = self.colored("--region", "100,50,301,200", "--scale", "1/2", "--palette", "ocean")
        np.testing.assert_array_equal(picture.pixels(), wanted)
        self.assertEqual(os.listdir(self.path("scratch")), [])
        self.assertNotIn(self.folder.encode(), picture.body)
        job = server.get(f"/api/images/0/region.toml?{rectangle}").body.decode()
        self.write("job.toml", job)
        self.assert_done("render", "job.toml", "--device", "cpu", "--quiet")
        again = np.asarray(Image.open(self.path("a.png")).convert("RGBA")).astype(int)
        self.assertLess(np.abs(again - wanted).mean(), 2)
        command = server.get(f"/api/images/0/region.txt?{rectangle}").body.decode()
        self.assertTrue(command.startswith("tessera render --center"), command)

    def test_a_rectangle_must_lie_within_the_image(self):
        self.render()
        server = Server(self, "a.h5")
        for query in ("", "x=0&y=0&width=1101&height=1", "x=1100&y=0&width=1&height=1", "x=0&y=0&width=0&height=1",
                      "x=0&y=0&width=9&height=9&scale=1/10", "x=0&y=0&width=9&height=9&scale=2"):
            for kind in ("png", "toml", "txt"):
                self.assertEqual(server.get(f"/api/images/0/region.{kind}?{query}").status, 400, query)


class Growing(Served):
    def test_missing_tiles_are_transparent_and_appear(self):
        self.render("--share", "1/2")
        server = Server(self, "a.h5")
        image = server.json("/api/images/0")
        self.assertEqual((image["complete"], image["tiles"], image["tiles_done"]), (False, 54, 27))
        tiles = server.json("/api/images/0/map")
        self.assertEqual(sum(tiles["state"]), 27)
        with h5py.File(self.path("a.h5.part"), libver="latest", swmr=True) as file:
            there = np.zeros((768, 1280), bool)
            there[:700, :1100] = file["iterations"][()] > 0
        for x, y in ((0, 0), (2, 1)):
            alpha = server.tile(0, x, y)[..., 3]
            np.testing.assert_array_equal(alpha == 255, there[y * TILE:(y + 1) * TILE, x * TILE:(x + 1) * TILE])
        server.wait_for_scales()
        self.assertTrue((server.tile(2, 0, 0)[:175, :, 3] == 0).any())
        self.render()
        wait_until("the image is complete", lambda: server.json("/api/images/0")["complete"])
        server.wait_for_scales()
        done = server.json("/api/images/0")
        self.assertEqual((done["id"], done["tiles_done"]), (0, 54))
        self.assertNotEqual(done["version"], image["version"])
        np.testing.assert_array_equal(server.tile(0, 0, 0), self.colored("--region", "0,0,256,256"))
        self.assertTrue((server.tile(2, 0, 0)[:175, :, 3] == 255).all())
        # A pyramid that grew is the one that is built at once.
        grown = server.tile(3, 0, 0)
        self.assertEqual(server.stop(), (0, ""))
        os.remove(self.path("a.h5.iterations.pyramid"))
        fresh = Server(self, "a.h5")
        fresh.json("/api/images/0")
        fresh.wait_for_scales()
        np.testing.assert_array_equal(fresh.tile(3, 0, 0), grown)

    def test_counts_of_0_are_not_missing(self):
        """Julia: an orbit that begins outside escapes at once. Tiles that are not rendered are transparent, and no others."""
        place = ("--formula", "julia:-0.8,0.156", "--center", "0,0", "--width", "12", "--size", "1024x1024", "--tile", "128",
                 "--iterations", "200", "--fields", "iterations", "--device", "cpu", "--quiet", "--output", "a.h5")
        self.assert_done("render", *place, "--share", "1/2")
        server = Server(self, "a.h5")
        with h5py.File(self.path("a.h5.part"), libver="latest", swmr=True) as file:
            stored = np.array([row["rank"] >= 0 for row in file["tiles"][()].flat]).reshape(8, 8)
        for built in (False, True):  # means of tiles, and pixels
            if built:
                server.wait_for_scales()
            alpha = server.tile(2, 0, 0)[..., 3]
            np.testing.assert_array_equal(alpha == 255, stored.repeat(32, 0).repeat(32, 1))
        self.assert_done("render", *place)
        wait_until("the image is complete", lambda: server.json("/api/images/0")["complete"])
        server.wait_for_scales()
        self.assertTrue((server.tile(2, 0, 0)[..., 3] == 255).all())

    def test_a_run_is_not_disturbed(self):
        run = self.start_program("render", *PLACE, *SLOWLY, "--quiet", "--output", "a.h5")
        wait_until("the run has begun", lambda: os.path.exists(self.path("a.h5.part.log")))
        server = Server(self, ".")
        ended = threading.Event()

        def look():
            while not ended.is_set():
                for image in server.json("/api/images")["images"]:
                    server.get(f"/tiles/{image['id']}/2/0/0.png")

        viewer = threading.Thread(target=look)
        viewer.start()
        code, said = self.finish(run)
        ended.set()
        viewer.join()
        self.assertEqual(code, 0, said)
        self.assert_done("verify", "a.h5", "--device", "cpu", "--quiet")


if __name__ == "__main__":
    main()
