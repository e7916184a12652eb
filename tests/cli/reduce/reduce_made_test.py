"""tessera reduce: arrays that it makes itself."""

import math

from program import main
from reduction import ReduceTest, expected, np


def philox(number, seed, stream=0):
    """Philox4x32-10 of Salmon et al., as they publish it."""
    c, k = [number & 0xffffffff, number >> 32, stream, 0], [seed & 0xffffffff, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & 0xffffffff, (a >> 32) ^ c[3] ^ k[1], a & 0xffffffff]
        k = [(k[0] + 0x9E3779B9) & 0xffffffff, (k[1] + 0xBB67AE85) & 0xffffffff]
    return c


class MadeArrays(ReduceTest):
    def bits(self, count, seed):
        blocks = [philox(i // 2, seed) for i in range(count)]
        return np.array([b[i % 2 * 2 + 1] << 32 | b[i % 2 * 2] for i, b in enumerate(blocks)], dtype="u8")

    def test_random_numbers_are_those_of_the_paper(self):
        self.assertEqual(philox(0, 0), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8])
        for seed in (1, 2**40 + 7):
            bits = self.bits(3001, seed)
            source = f"random:uniform?count=3001&seed={seed}"
            for size in ("4K", "8M"):
                self.assert_answers(source, expected((bits >> 11) * 2.0**-53), "--slice", size)
            self.assert_answers(source + "&dtype=f4", expected(((bits >> 40) * 2.0**-24).astype("f4")))
            self.assert_answers(source + "&dtype=u2", expected((bits >> 48).astype("u2")))
            self.assert_answers(source + "&dtype=i8", expected(bits.view("i8")))
        self.assert_answers("random:uniform?count=3001", expected((self.bits(3001, 1) >> 11) * 2.0**-53))

    def test_normal_numbers_are_those_of_box_and_muller(self):
        numbers = []
        for block in (philox(i, 5, stream=1) for i in range(1500)):
            radius = math.sqrt(-2 * math.log(((block[1] << 32 | block[0]) + 0.5) * 2.0**-64))
            angle = block[3] << 32 | block[2]
            part = (angle << 2 & 2**64 - 1) * 2.0**-64
            angle = math.pi / 2 * ((angle >> 62) + part - (part >= 0.5))
            numbers += [radius * math.cos(angle), radius * math.sin(angle)]
        _, got = self.reduce("random:normal?count=2999&seed=5", ("min", "max", "argmin", "argmax", "mean", "std"))
        array = np.array(numbers[:2999])
        self.assertEqual((got["argmin"], got["argmax"]), (array.argmin(), array.argmax()))
        for name, value in (("min", array.min()), ("max", array.max()), ("mean", array.mean()), ("std", array.std())):
            self.assertAlmostEqual(got[name], value, 13)
        for dtype in ("f4", "f8"):
            source = f"random:normal?count=300001&seed=8&dtype={dtype}"
            _, whole = self.reduce(source)
            for options in (("--slice", "4K", "--threads", "2"), ("--device", "reference")):
                self.assert_answers(source, whole, *options)

    def test_numbers_between_two_others_are_those_of_numpy(self):
        for start, stop, count in ((0.0, 1.0, 1001), (-0.1, 0.7, 77), (5.0, -5.0, 11), (3.5, 9.0, 1),
                                   (0.0, 1e-323, 7), (2e-323, 0.0, 1001), (1e-310, 2e-310, 77)):
            array = np.linspace(start, stop, count)
            self.assert_answers(f"linspace:{start},{stop}?count={count}", expected(array), "--slice", "4K")
            self.assert_answers(f"linspace:{start},{stop}?count={count}&dtype=f4", expected(array.astype("f4")))

    def test_that_make_no_sense_are_refused(self):
        self.save(np.zeros(3))
        for source, word in (("random:uniform", "count"), ("random:gauss?count=3", "'gauss'"), ("random:", "''"),
                             ("random:uniform?count=x", "'x'"), ("random:uniform?count=3&shape=3", "'shape'"),
                             ("random:uniform?count=3&dtype=f2", "f4"), ("random:uniform?count=3&seed=-1", "'-1'"),
                             ("random:normal?count=3&dtype=i4", "f4"),
                             ("linspace:0,1", "count"), ("linspace:0?count=3", "START,STOP"),
                             ("linspace:0,x?count=3", "'x'"), ("linspace:0,1?count=3&dtype=i4", "f4"),
                             ("linspace:0,1?count=3&dtype=>f4", "byte order")):
            with self.subTest(source=source):
                self.assert_refused(["reduce", source, "--op", "sum"], 2, source, word)
        self.assert_refused(["reduce", "random:uniform?count=3", "a.npy", "--op", "sum"], 2, "alone")


if __name__ == "__main__":
    main()
