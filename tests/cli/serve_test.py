"""Images in a browser: what a server answers, to whom, and what it leaves."""

import http.client
import io
import json
import os
import signal
import socket
import subprocess
import threading
import urllib.parse

from program import TESSERA, ProgramTest, main
from runs import RunTest, SLOWLY, wait_until

try:
    import h5py
    import numpy as np
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy python3-pil)")
    raise SystemExit(77)

PLACE = ("--view", "seahorse", "--size", "1100x700", "--iterations", "500", "--tile", "128")
TILE = 256


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    def json(self):
        return json.loads(self.body)

    def pixels(self):
        return np.asarray(Image.open(io.BytesIO(self.body)).convert("RGBA")).astype(int)


class Server:
    """`tessera serve` while a test runs."""

    def __init__(self, test, *arguments, **options):
        self.process = subprocess.Popen([TESSERA, "serve", *arguments], cwd=test.folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **options)
        test.addCleanup(self.end)
        self.address = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.query = parts.port, parts.query

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def stop(self, by=signal.SIGTERM):
        """Its exit code and what it said on stderr."""
        self.process.send_signal(by)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said

    def get(self, target, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, target, headers={name.replace("_", "-"): text for name, text in headers.items()})
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def json(self, target):
        answer = self.get(target)
        assert answer.status == 200, (target, answer.status, answer.body)
        return answer.json()

    def tile(self, level, x, y, query="", image=0):
        answer = self.get(f"/tiles/{image}/{level}/{x}/{y}.png?{query}")
        assert answer.status == 200, answer.body
        return answer.pixels()

    def wait_for_scales(self, image=0, query=""):
        wait_until("all scales are built", lambda: self.json(f"/api/images/{image}?{query}")["scales"] == 1)

    def raw(self, data):
        """The answer to bytes that are sent as they are; b"" if the server ends the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as client:
            try:
                client.sendall(data)
                got = b""
                while piece := client.recv(4096):
                    got += piece
            except ConnectionResetError:
                pass
            return got


class Served(RunTest):
    def render(self, *options, output="a.h5"):
        self.assert_done("render", *PLACE, "--device", "cpu", "--quiet", "--output", output, *options)

    def colored(self, *options, data="a.h5"):
        self.assert_done("color", data, "truth.png", "--overwrite", "--quiet", *options)
        return np.asarray(Image.open(self.path("truth.png")).convert("RGBA")).astype(int)


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

    def test_the_edge_of_the_set_is_drawn_as_color_draws_it(self):
        self.render("--fields", "iterations,smooth,distance")
        server = Server(self, "a.h5")
        for field in ("smooth", "iterations"):
            for level, place in ((0, (1, 1)), (1, (1, 0))):
                x, y = (part * TILE << level for part in place)
                region = ("--region", f"{x},{y},{TILE << level},{TILE << level}", "--scale", f"1/{1 << level}", "--field", field)
                wanted = self.colored(*region, "--distance", "2.5")
                self.assertTrue((wanted != self.colored(*region)).any())
                np.testing.assert_array_equal(server.tile(level, *place, f"distance=2.5&field={field}"), wanted)
        server.wait_for_scales(query="distance=2.5")
        wanted = self.colored("--scale", "1/4", "--distance", "2.5")[:TILE, :TILE, :3]
        got = server.tile(2, 0, 0, "distance=2.5")[:wanted.shape[0], :wanted.shape[1], :3]
        self.assertLess(np.abs((got - wanted).mean(axis=(0, 1))).max(), 4)
        self.assertTrue((got != server.tile(2, 0, 0)[:wanted.shape[0], :wanted.shape[1], :3]).any())
        self.assertEqual(server.get("/tiles/0/0/0/0.png?distance=-1").status, 400)

    def test_the_scales_of_all_that_is_shown_are_told(self):
        self.render("--fields", "iterations,smooth,distance")
        server = Server(self, "a.h5")
        for query in ("", "field=iterations", "distance=1"):
            server.wait_for_scales(query=query)
        built = {name for name in os.listdir(self.folder) if name.endswith(".pyramid")}
        self.assertEqual(built, {f"a.h5.{field}.pyramid" for field in ("iterations", "smooth", "distance")})

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

    def test_scales_that_were_spoiled_are_repaired(self):
        self.render()
        first = Server(self, "a.h5")
        first.json("/api/images/0")
        first.wait_for_scales()
        tiles = [first.tile(level, 0, 0) for level in (2, 3)]
        self.assertEqual(first.stop(), (0, ""))
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


class Regions(Served):
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


class Safety(Served):
    def setUp(self):
        super().setUp()
        self.render("--share", "1/2")
        self.write("secret.txt", "secret")

    def test_bad_requests_have_an_error_and_the_server_goes_on(self):
        server = Server(self, "a.h5")
        for target, status in (("/../secret.txt", 404), ("/%2e%2e/secret.txt", 404), ("/secret.txt", 404),
                               ("/api/images/1", 404), ("/api/images/-1", 404), ("/api/images/a.h5", 404),
                               ("/api/images/99999999999999999999", 404), ("/api/images/..%2fsecret.txt", 404),
                               ("/tiles/0/0/5/0.png", 404), ("/tiles/0/9/0/0.png", 404), ("/tiles/0/0/0/0.jpg", 404),
                               ("/tiles/0/0/0/0.png?palette=secret.txt", 400), ("/tiles/0/0/0/0.png?offset=x", 400),
                               ("/tiles/0/0/0/0.png?field=smooth", 400), ("/tiles/0/0/0/0.png?distance=1", 400),
                               ("/api/images/0?distance=1", 400), ("/tiles/0/0/0/0.png?inside=%00", 400),
                               ("/api/images/0/pixel?x=1100&y=0", 400), ("/api/images/0/pixel", 400),
                               ("/api/run", 404), ("/" + "a/" * 100, 400)):
            answer = server.get(target)
            self.assertEqual(answer.status, status, target)
            self.assertEqual(list(answer.json()), ["error"], target)
            self.assertNotIn(self.folder, answer.json()["error"])
        self.assertEqual(server.get("/", method="POST").status, 405)
        self.assertEqual(server.stop(), (0, ""))

    def test_every_answer_has_the_headers_that_protect_the_page(self):
        server = Server(self, "a.h5")
        for target in ("/", "/app.js", "/leaflet/leaflet.js", "/api/images", "/tiles/0/0/0/0.png", "/none"):
            headers = server.get(target).headers
            self.assertIn("default-src 'self'", headers["content-security-policy"], target)
            self.assertEqual(headers["x-content-type-options"], "nosniff", target)
            self.assertEqual(headers["referrer-policy"], "no-referrer", target)

    def test_the_page_has_nothing_inline_and_nothing_from_elsewhere(self):
        page = Server(self, "a.h5").get("/").body.decode()
        self.assertNotRegex(page, r"<script(?![^>]*\bsrc=)|\bon[a-z]+=|\bstyle=|https?://")

    def test_floods_and_rubbish_end_their_connection_only(self):
        server = Server(self, "a.h5")
        flood = b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 10000 + b"\r\n"
        self.assertNotIn(b"200 OK", server.raw(flood))
        for rubbish in (b"\x00" * 1000 + b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\r\n\r\n",
                        b"GET / HTTP/9\r\n\r\n", b"G" * 20000, b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n"):
            self.assertNotIn(b"200 OK", server.raw(rubbish), rubbish[:20])
        body = b"POST /api/images HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 1000
        self.assertNotIn(b"200 OK", server.raw(body))
        ranges = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nRange: bytes=" + b"0-,".join([b""] * 1000)
        self.assertIn(b"HTTP/1.1", server.raw(ranges + b"1-2\r\n\r\n"))
        self.assertEqual(server.get("/api/images").status, 200)

    def test_clients_that_send_half_a_request_do_not_keep_others_waiting(self):
        server = Server(self, "a.h5", "--threads", "1")
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
        for client in clients:
            client.sendall(b"GET /tiles/0/0/0/0.png HT")
        self.assertEqual(server.get("/tiles/0/0/0/0.png").status, 200)
        for client in clients:
            client.close()

    def test_a_connection_too_many_is_told_so(self):
        server = Server(self, "a.h5")
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(512)]
        wait_until("a connection too many", lambda: server.get("/api/images").status == 429)
        for client in idle:
            client.close()
        wait_until("room again", lambda: server.get("/api/images").status == 200)

    def test_a_name_of_another_machine_is_refused(self):
        server = Server(self, "a.h5")
        self.assertEqual(server.get("/api/images", Host="evil.example").status, 403)
        self.assertEqual(server.get("/api/images", Host="localhost:1").status, 200)

    def test_other_machines_need_the_token(self):
        server = Server(self, "a.h5", "--listen", "0.0.0.0:0")
        self.assertRegex(server.query, r"^token=[0-9a-f]{32}$")
        for target in ("/", "/api/images", "/tiles/0/0/0/0.png", "/?token=" + "0" * 32, "/none"):
            self.assertEqual(server.get(target).status, 401, target)
        first = server.get("/?" + server.query)
        self.assertEqual((first.status, first.headers["location"]), (303, "/"))
        cookie = first.headers["set-cookie"].split(";")[0]
        self.assertEqual(server.get("/api/images", Cookie=cookie).status, 200)
        self.assertEqual(server.get("/api/images", Authorization="Bearer " + server.query[6:]).status, 200)

    def test_in_a_job_of_slurm_the_way_there_is_printed(self):
        server = Server(self, "a.h5", env={**os.environ, "SLURM_SUBMIT_HOST": "login1"})
        _, said = server.stop()
        self.assertIn(f"ssh -N -L {server.port}:127.0.0.1:{server.port} -J login1 ", said)
        self.assertIn(f"http://127.0.0.1:{server.port}/", said)

    def test_it_ends_well_by_any_signal(self):
        for by in (signal.SIGTERM, signal.SIGINT):
            server = Server(self, "a.h5")
            with socket.create_connection(("127.0.0.1", server.port)):
                self.assertEqual(server.stop(by), (0, ""))

    def test_what_cannot_be_served_is_an_error(self):
        self.assert_refused(("serve", "none.h5"), 3, "none.h5")
        self.assert_refused(("serve", "secret.txt"), 2, "secret.txt", "not an HDF5 file")
        for listen in ("300.1.1.1:0", "127.0.0.1:99999", "127.0.0.1:x"):
            self.assert_refused(("serve", "a.h5", "--listen", listen), 2, "--listen")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.assert_refused(("serve", "a.h5", "--listen", str(taken.getsockname()[1])), 2, "--listen")


if __name__ == "__main__":
    main()
