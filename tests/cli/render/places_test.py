#!/usr/bin/env python3
"""Places of other programs: tessera place and render --from, with files as those programs write them."""

import json
import struct
import subprocess
import zlib

from program import ProgramTest, TESSERA, main

KFR = ("Re: -1.76850603384049240060562\r\nIm: 0.00096660166146112632645\r\nZoom: 4.0E9\r\nIterations: 900\r\n"
       "BailoutRadiusPreset: 3\r\nBailoutRadiusCustom: 50\r\nImagPointsUp: 1\r\nColors: 1,2,3,\r\nVersion: 2150500\r\n")
SETTINGS = "ImageWidth: 160\r\nImageHeight: 100\r\nSettingsVersion: 2150500\r\n"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(text, before):
    """A picture of one pixel with a text before or behind its pixels."""
    comment = chunk(b"tEXt", b"Comment\0" + text)
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0\0\0"))
    parts = [comment, pixels] if before else [pixels, comment]
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(parts) + chunk(b"IEND", b"")


def jpeg(text):
    """Comments that a program has split."""
    parts = [text[:100], text[100:]]
    return b"\xff\xd8" + b"".join(b"\xff\xfe" + struct.pack(">H", len(p) + 2) + p for p in parts) + b"\xff\xd9"


def tiff(text, order):
    """A grey pixel with an ImageDescription."""
    text += b"\0"
    entries = [(256, 4, 1, 1), (257, 4, 1, 1), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
               (270, 2, len(text), 200), (273, 4, 1, 199), (277, 3, 1, 1), (278, 4, 1, 1), (279, 4, 1, 1)]
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "IH", 8, len(entries))
    for tag, kind, count, value in entries:
        value = struct.pack(order + "HH", value, 0) if kind == 3 else struct.pack(order + "I", value)
        head += struct.pack(order + "HHI", tag, kind, count) + value
    return (head + bytes(4)).ljust(200, b"\0") + text


def exr(text):
    attribute = b"KallesFraktaler2+\0string\0" + struct.pack("<I", len(text)) + text
    return b"v/1\x01" + struct.pack("<I", 2) + b"Iterations\0int\0" + struct.pack("<Ii", 4, 7) + attribute + b"\0"


class Places(ProgramTest):
    def put(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return name

    def attributes(self, name):
        return json.loads(self.assert_done("info", name, "--json"))["files"][0]["attributes"]

    def place(self, *arguments):
        return json.loads(self.assert_done("place", *arguments, "--json"))

    def test_a_command_that_renders_the_place(self):
        said = self.assert_done("place", self.put("a.kfr", KFR), "--size", "32x18").split()
        self.assertEqual(said[:2], ["tessera", "render"])
        self.assertIn("--width=1.777777777777777777777777777777777777778e-9", said)
        self.assert_done(*said[1:], "-o", "a.h5")
        self.assert_done("render", "--from", "a.kfr", "--size", "32x18", "-o", "b.h5", "--quiet")
        self.assert_done("render", "a.kfr", "--size", "32x18", "-o", "c.h5", "--quiet")
        self.assertEqual(len({self.attributes(f"{name}.h5")["fingerprint"] for name in "abc"}), 1)

    def test_one_line_says_what_was_understood(self):
        self.put("a.kfr", KFR)
        run = subprocess.run([TESSERA, "render", "--from", "a.kfr", "--size", "16x9", "--iterations", "99", "-o", "a.h5"],
                             cwd=self.folder, capture_output=True, text=True, check=True)
        lines = [line for line in run.stderr.splitlines() if line.startswith("tessera: a.kfr: ")]
        self.assertEqual(len(lines), 1)
        for words in ("Kalles Fraktaler", "mandelbrot", "height 1e-9", "900 iterations", "not taken over: colours"):
            self.assertIn(words, lines[0])
        self.assertEqual(self.attributes("a.h5")["iterations"], 99)

    def test_pictures_hold_places(self):
        text = (KFR + SETTINGS).encode()
        files = {"a.png": png(text, True), "b.png": png(text, False), "c.jpg": jpeg(text), "d.tif": tiff(text, "<"),
                 "e.tif": tiff(text, ">"), "f.exr": exr(text)}
        for name, content in files.items():
            with self.subTest(name=name):
                place = self.place(self.put(name, content))
                self.assertEqual(place["size"], [160, 100])
                self.assertEqual(place["height"], "1e-9")
                self.assertEqual(place["bailout"], "50")
        self.assert_refused(["render", "--from", self.put("x.jpg", jpeg(b"a holiday"))], 2, "x.jpg")

    def test_names_do_not_matter(self):
        self.assertEqual(self.place(self.put("x.dat", "\ufeff" + KFR.replace("\r", "")))["format"],
                         "Kalles Fraktaler (.kfr)")

    def test_a_centre_with_few_digits_gets_zeros(self):
        self.put("a.txt", "Real: -1.234567890123 Imag: 0.1 Zoom: 1e30 Iterations: 100")
        place = self.place("a.txt", "--size", "10x10")
        self.assertIn("--center=-1.234567890123000000000000000000,0.1", place["options"])
        self.assertTrue(any("zeros" in note for note in place["notes"]))

    def test_links_and_standard_input(self):
        link = "https://mandelbrot.site/?re=-0.5&im=0.25&z=3&i=120"
        self.assertEqual(self.place(link)["height"], "2.8125")
        self.assert_done("render", "--from", link, "--size", "16x9", "-o", "a.h5", "--quiet")
        self.assert_refused(["render", "--from", "https://example.org/a.h5", "-o", "b.h5"], 2, "https://example.org/a.h5")
        for command in (["place", "-", "--json"], ["render", "--from", "-", "--size", "16x9", "-o", "c.h5"]):
            run = subprocess.run([TESSERA, *command], cwd=self.folder, input=f"look: {link} nice", capture_output=True,
                                 text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_other_formulas_are_refused_and_nothing_is_written(self):
        for name, text in (("a.kfr", KFR + "FractalType: 3\r\n"), ("b.kfr", KFR + "UseHybridFormula: 1\r\n"),
                           ("c.toml", "program = \"fraktaler-3\"\nformula = [{}, {}]\n"),
                           ("d.par", "x { type=julia corners=-1/1/-1/1 }"), ("e.txt", "Julia set, re=0 im=0 zoom=2")):
            self.assert_refused(["render", "--from", self.put(name, text), "-o", "no.h5"], 2, name)
            self.assert_refused(["place", name], 2, name)
            self.assert_refused(["place", name, "--as", "kfr"], 2, name)

    def test_keys_as_the_other_programs_read_them(self):
        for name, text, said in (
            ("a.par", "A { Type=julia corners=-2/2/-1.5/1.5 Params=0.3/0.4 }", "type=julia"),
            ("a.xpf", "(initstate)\n(formula\t'magnet)\n(view 0 0 4 3)\n", "'magnet"),
            ("b.xpf", "(initstate)\n(formula\n'magnet)\n(view 0 0 4 3)\n", "'magnet"),
            ("c.xpf", "(initstate)\n(view 0 0 4 3)\n(bailout -1)\n", "bailout"),
        ):
            self.assert_refused(["place", self.put(name, text)], 2, name, said)
        for name, text, center, height in (
            ("b.par", "A { type=mandel Center-Mag=-0.5/0.25/100 }", ["-0.5", "0.25"], 0.02),
            ("c.par", "A { type=mandel center-mag=-0.5/0.25/100 corners=-2/2/-1.5/1.5 }", ["0", "0"], 3),
            ("d.par", "A { corners=-2/2/-1.5/1.5 center-mag=-0.5/0.25/1 center-mag=-0.5/0.25/100 }", ["-0.5", "0.25"], 0.02),
        ):
            place = self.place(self.put(name, text))
            self.assertEqual((place["center"], float(place["height"])), (center, height), name)

    def test_a_written_zoom_shows_the_whole_frame(self):
        for name, text, zoom in (("a.xpf", "(initstate)\n(view -0.5 0 4.0 2.0)\n", "1.7777777777777777778"),
                                 ("b.xpf", "(initstate)\n(view -0.5 0 2.0 4.0)\n", "1"),
                                 ("c.txt", "look: re = -0.5, im = 0.25, width 0.36, iterations 500", "19.75308641975308642")):
            self.assertIn(f"Zoom: {zoom}\n", self.assert_done("place", self.put(name, text), "--as", "kfr").replace("\r", ""))

    def test_pixels_beside_a_zoom(self):
        text = "look: re = -0.5, im = 0.25, zoom 1,000,000, "
        place = self.place(self.put("a.txt", text + "Width: 1920 Height: 1080"))
        self.assertEqual((float(place["height"]), place["size"]), (4e-6, [1920, 1080]))
        self.assert_refused(["place", self.put("b.txt", text + "width 0.003")], 2, "b.txt", "two ways")

    def test_a_file_without_a_place_is_refused(self):
        for name, text in (("a.kfr", "nothing here\n"), ("empty.kfr", "")):
            for command in (["place", self.put(name, text)], ["render", "--from", name, "-o", "no.h5"]):
                self.assert_refused(command, 2, name, "holds no place that is known")

    def test_a_zoom_beyond_all_widths_is_refused_at_once(self):
        self.put("a.kfr", KFR + "Zoom: 1E300000000\r\n")
        for command in ("place",), ("render", "-o", "no.h5", "--from"), ("find", "--from"):
            self.assert_refused([*command, "a.kfr"], 2, "a.kfr", "outside 1e-100000")

    def test_a_region_is_of_a_picture(self):
        self.assert_refused(["render", "--from", self.put("a.kfr", KFR), "--region", "0,0,1,1"], 2, "--region")

    def test_images_leave_as_places(self):
        self.assert_done("render", "--center=-1.25,0.0625", "--width", "0.5", "--size", "32x16", "--iterations", "50",
                         "--png", "a.png", "-o", "a.h5", "--quiet")
        self.assert_done("render", "--view", "trunk", "--size", "30x20", "-o", "t.h5", "--quiet")
        words = self.assert_done("place", "t.h5").split()
        self.assertIn("--width=0.004", words)  # as it was given, for the fingerprint
        for name in ("a.h5", "a.png"):
            for form in ("kfr", "f3"):
                self.put("again", self.assert_done("place", name, "--as", form))
                place = self.place("again", "--size", "32x16")
                self.assertEqual(place["center"], ["-1.25", "0.0625"])
                self.assertEqual((place["width"], place["iterations"], place["matrix"]), ("0.5", "50", [[1, 0], [0, 1]]))
        self.assert_refused(["place", "a.h5", "--as", "xpf"], 2, "--as", "kfr, f3")


if __name__ == "__main__":
    main()
