"""The picture of a finished image: the one that was asked for, and never at the cost of another file."""

import os
import shutil

from program import ProgramTest, main

try:
    import numpy as np
    from PIL import Image, PngImagePlugin
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-numpy python3-pil)")
    raise SystemExit(77)

JOB = ("--view", "seahorse", "--size", "120x90", "--iterations", "300", "--tile", "32", "--fields",
       "iterations,smooth", "--device", "cpu", "--quiet")
ALONE = ("--view", "seahorse", "--size", "120x90", "--iterations", "300", "--tile", "32", "--device", "cpu", "--quiet")


class Picture(ProgramTest):
    def job(self, *options, output="a.h5", png="a.png"):
        return ("render", *JOB, "--output", output, "--png", png, *options)

    def render(self, *options, **names):
        self.assert_done(*self.job(*options, **names))

    def pixels(self, name="a.png"):
        return np.asarray(Image.open(self.path(name)))

    def texts(self, name="a.png"):
        return Image.open(self.path(name)).text

    def identity(self, name="a.png"):
        status = os.stat(self.path(name))
        return status.st_ino, status.st_mtime_ns

    def assert_pictured(self, palette, data="a.h5"):
        """a.png is what `color` makes of the data."""
        self.assert_done("color", data, "truth.png", "--palette", palette, "--overwrite", "--quiet")
        np.testing.assert_array_equal(self.pixels(), self.pixels("truth.png"))
        os.remove(self.path("truth.png"))

    def assert_left_alone(self, *options):
        before = self.identity()
        self.render(*options)
        self.assertEqual(self.identity(), before)

    def assert_kept(self, *words, **names):
        """The command is refused, and the file that has the name stays."""
        with open(self.path("a.png"), "rb") as file:
            before = file.read()
        self.assert_refused(self.job(**names), 2, "--png a.png", "--overwrite", *words)
        with open(self.path("a.png"), "rb") as file:
            self.assertEqual(file.read(), before)

    def alone(self, *options, png="a.png"):
        return ("render", *ALONE, "--png", png, *options)

    def assert_only(self, *names):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))

    def test_a_picture_alone_is_the_average_of_twice_its_size_and_leaves_no_other_file(self):
        for ranks in (0, 3):
            self.assert_done(*self.alone("--overwrite"), ranks=ranks)
            self.assert_only("a.png")
            self.assert_done("render", *ALONE, "--size", "240x180", "--fields", "smooth", "--output", "t.h5")
            self.assert_done("color", "t.h5", "t.png", "--scale", "1/2", "--quiet")
            np.testing.assert_array_equal(self.pixels(), self.pixels("t.png"))
            os.remove(self.path("t.h5"))
            os.remove(self.path("t.png"))
        self.assertNotIn("Source", self.texts())
        self.assert_done("render", *ALONE, "--png", "b.png", "--output=", "--supersample", "2")
        np.testing.assert_array_equal(self.pixels(), self.pixels("b.png"))
        self.assert_only("a.png", "b.png")

    def test_supersampled_data_can_be_coloured_again(self):
        self.render("--supersample", "3")
        self.assertEqual(self.pixels().shape, (90, 120, 3))
        self.assert_done("color", "a.h5", "b.png", "--scale", "1/3", "--quiet")
        np.testing.assert_array_equal(self.pixels(), self.pixels("b.png"))
        self.assertEqual(self.pixels_of("color", "a.h5", "c.png").shape, (270, 360, 3))
        before = self.identity()
        self.render("--supersample", "3")
        self.assertEqual(self.identity(), before)
        self.assert_done("verify", "a.h5", "--quiet")

    def pixels_of(self, command, data, name):
        self.assert_done(command, data, name, "--quiet")
        return self.pixels(name)

    def test_a_picture_alone_is_made_once(self):
        self.assert_done(*self.alone())
        before = self.identity()
        said = self.run_program(*[word for word in self.alone() if word != "--quiet"])
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("a.png is complete already", said.stderr)
        self.assertEqual(self.identity(), before)
        self.assert_only("a.png")

    def test_a_picture_alone_in_other_colours_takes_the_place_of_the_old_one(self):
        self.assert_done(*self.alone())
        self.assert_done(*self.alone("--palette", "ember"))
        self.assert_done(*self.alone("--palette", "ember", png="b.png"))
        np.testing.assert_array_equal(self.pixels(), self.pixels("b.png"))
        self.assert_only("a.png", "b.png")

    def test_a_picture_alone_replaces_no_other_file(self):
        self.assert_done(*self.alone())
        before = self.identity()
        for options in (("--iterations", "200"), ("--supersample", "1"), ("--center", "0,0")):
            self.assert_refused(self.alone(*options), 2, "--png a.png", "this image; --overwrite replaces it")
        self.assertEqual(self.identity(), before)
        self.write("b.png", "words\n")
        self.assert_refused(self.alone(png="b.png"), 2, "--png b.png", "--overwrite replaces it")
        self.assert_only("a.png", "b.png")
        self.assert_done(*self.alone("--overwrite", png="b.png"))
        np.testing.assert_array_equal(self.pixels(), self.pixels("b.png"))

    def test_a_picture_that_is_asked_for_later_is_made_of_the_data_that_is_there(self):
        job = ("render", *ALONE[:-1], "--output", "a.h5")
        self.assert_done(*job, "--quiet")
        data = self.identity("a.h5")
        for ranks, options in ((0, ()), (2, ("--palette", "ember"))):
            said = self.run_program(*job, "--png", "a.png", *options, ranks=ranks)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn("a.h5 has no smooth values", said.stderr)
            self.assertIn("field iterations", self.texts()["Made from"])
        self.assertEqual(self.identity("a.h5"), data)
        self.assert_refused((*job, "--png", "a.png", "--fields", "smooth"), 2, "holds another image")

    def test_a_picture_has_the_right_suffix(self):
        self.assert_refused(("render", "--output", "a.png"), 2, "--output: a.png", "did you mean --png?")
        self.assert_refused(("render", "--output", "a.npy"), 2, "--output: a.npy", "HDF5 file")
        for suffix in ("jpg", "exr", "heic", "ppm", "qoi", "txt", "h5"):
            self.assert_refused(("render", "--png", "a." + suffix), 2, "--png: a." + suffix, "use a name that ends in .png")
        self.render()
        self.assert_refused(("color", "a.h5", "b.jpg"), 2, "OUT.png: b.jpg", "only PNG, TIFF and EXR are written", ".exr")
        self.assert_done("color", "a.h5", "picture", "--quiet")

    def test_the_same_command_leaves_it_alone(self):
        self.render()
        self.assert_left_alone()
        self.assert_left_alone("--threads", "2")

    def test_another_palette_is_another_picture(self):
        self.render()
        self.assert_pictured("twilight")
        data = self.identity("a.h5")
        for ranks in (0, 2):
            for palette in ("ember", "viridis"):
                self.assert_done(*self.job("--palette", palette), ranks=ranks)
                self.assert_pictured(palette)
        self.assertEqual(self.identity("a.h5"), data)
        said = self.run_program(*[word for word in self.job() if word != "--quiet"]).stderr
        self.assertIn("a.h5 is complete already", said)
        self.assertIn("a.png has other colours and is replaced", said)
        self.assertEqual(self.texts()["Palette"], "twilight")

    def test_the_colours_of_a_palette_file_decide_and_not_its_name(self):
        self.write("mine.txt", "255 0 0\n0 0 255\n")
        self.render("--palette", "mine.txt")
        self.assert_pictured("mine.txt")
        shutil.copy(self.path("mine.txt"), self.path("yours.txt"))
        self.assert_left_alone("--palette", "yours.txt")
        self.write("mine.txt", "255 0 0\n0 255 0\n")
        self.render("--palette", "mine.txt")
        self.assert_pictured("mine.txt")
        self.write("mine.txt", "255 0 0\n0 255 0\ninside 9 9 9\n")
        self.render("--palette", "mine.txt")
        self.assert_pictured("mine.txt")

    def test_the_picture_of_another_field_is_replaced(self):
        self.render()
        self.assert_done("color", "a.h5", "a.png", "--overwrite", "--quiet", "--field", "iterations")
        self.render()
        self.assert_pictured("twilight")

    def test_the_picture_of_a_part_or_in_another_size_stays(self):
        self.render()
        for options in (("--region", "0,0,60,60"), ("--region", "0,0,12,90"), ("--region", "1,0,119,90"),
                        ("--scale", "1/2"), ("--scale", "1/1", "--region", "0,0,120,89")):
            for palette in ("twilight", "ember"):
                self.assert_done("color", "a.h5", "a.png", "--overwrite", "--quiet", "--palette", palette, *options)
                self.assert_kept("exists and was not made from a.h5")
        self.assert_done("color", "a.h5", "a.png", "--overwrite", "--quiet", "--scale", "1/1", "--region", "0,0,120,90")
        self.assert_left_alone()

    def test_the_picture_of_older_data_in_the_same_file_is_replaced(self):
        self.render()
        self.assert_done(*self.job("--iterations", "40", "--overwrite", png=""))
        self.render("--iterations", "40")
        self.assert_pictured("twilight")
        self.assert_left_alone("--iterations", "40")

    def test_the_picture_of_the_same_data_in_another_file_is_the_picture(self):
        self.render()
        os.rename(self.path("a.h5"), self.path("b.h5"))
        before = self.identity()
        self.render(output="b.h5")
        self.assertEqual(self.identity(), before)

    def test_a_picture_of_an_older_version_stays(self):
        """It does not say of which part of the image it is."""
        self.render()
        right = self.pixels()
        info = PngImagePlugin.PngInfo()
        for key, text in (("Software", "Tessera"), ("Source", "a.h5"), ("Palette", "twilight")):
            info.add_text(key, text)
        Image.fromarray(right[::-1]).save(self.path("a.png"), pnginfo=info)
        self.assert_kept("exists and was not made from a.h5")
        os.remove(self.path("a.png"))
        self.render()
        np.testing.assert_array_equal(self.pixels(), right)
        self.assertIn("field smooth", self.texts()["Made from"])

    def test_what_is_no_picture_of_the_image_stays(self):
        self.render()
        picture = self.path("a.png")
        with open(picture, "rb") as file:
            whole = file.read()
        self.render("--bailout", "3", output="b.h5", png="b.png")
        os.replace(self.path("b.png"), picture)  # of other data in another file
        self.assert_kept("a.h5")
        Image.fromarray(np.zeros((90, 120, 3), "u1")).save(picture)  # of another program
        self.assert_kept("exists and was not made from a.h5")
        for contents in (b"words\n", b"", whole[:-1], whole[:60]):
            with open(picture, "wb") as file:
                file.write(contents)
            self.assert_kept("exists and was not made from a.h5")
        self.render("--overwrite")
        self.assert_pictured("twilight")

    def test_color_replaces_nothing_without_being_told(self):
        self.render()
        before = self.identity()
        self.assert_refused(("color", "a.h5", "a.png"), 2, "a.png", "is there already; --overwrite replaces it")
        self.assertEqual(self.identity(), before)

    def test_a_name_with_accents_is_known_again(self):
        self.render(output="größe.h5")
        self.render("--palette", "ember", output="größe.h5")
        self.assertEqual(self.texts()["Palette"], "ember")
        before = self.identity()
        self.render("--palette", "ember", output="größe.h5")
        self.assertEqual(self.identity(), before)

    def test_options_are_checked_where_nothing_is_left_to_do(self):
        self.render()
        for options, word in ((("--device", "abacus"), "--device abacus"), (("--device", "cuda:x"), "cuda:x"), (("--palette", "nosuch"), "--palette"),
                              (("--device", "cpu,cpu"), "twice")):
            self.assert_refused(self.job(*options), 2, word)
            self.assert_refused(self.job(*options, png=""), 2, word)

    def test_a_palette_is_checked_where_no_picture_is_made(self):
        self.assert_refused(self.job("--palette", "nosuch", png=""), 2, "--palette", "nosuch")
        self.assert_refused(self.job("--palette", "no/such.txt", png=""), 3, "no/such.txt")
        self.assert_refused(self.job("--palette", "nosuch", "--share", "1/2", png=""), 2, "--palette", "nosuch")
        self.assert_refused(("plan", *JOB, "--palette", "nosuch"), 2, "--palette", "nosuch")


class Resized(ProgramTest):
    def save_resized(self, width, height):
        """p.png as q.png, with the texts that a program keeps which crops or scales a picture."""
        with Image.open(self.path("p.png")) as picture:
            texts = PngImagePlugin.PngInfo()
            for name, text in picture.text.items():
                texts.add_itxt(name, text)
            picture.resize((width, height)).save(self.path("q.png"), pnginfo=texts)

    def test_a_picture_whose_size_is_not_what_it_tells_is_no_recipe(self):
        job = ("render", "--center", "-0.743643887,0.131825904", "--width", "0.001", "--size", "64x36", "--iterations", "500")
        for more in ((), ("--supersample", "2")):
            self.assert_done(*job, *more, "--png", "p.png", "--quiet", "--overwrite")
            for size in ((32, 18), (64, 35), (36, 64), (128, 72)):
                self.save_resized(*size)
                for options in ((), ("--region", "4,2,16,9")):
                    self.assert_refused(("render", "--from", "q.png", *options, "--output", "o.h5"), 2,
                                        f"q.png: has {size[0]}x{size[1]} pixels", "64x36", "cropped or scaled")
                self.assert_refused((*job, *more, "--png", "q.png"), 2, "q.png")
            self.save_resized(64, 36)
            self.assert_done("render", "--from", "q.png", "--output", "o.h5", "--quiet", "--overwrite")


if __name__ == "__main__":
    main()
