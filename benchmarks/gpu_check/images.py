"""Renders, and whether they have the same pixels. No library of Python reads HDF5 here: an expression of `tessera reduce`
compares two images, and `tessera verify` computes rows again."""

import json
import string

from checks import same

FIELDS = ("iterations", "smooth")
ALL_FIELDS = (*FIELDS, "distance", "fraction", "gradient_x", "gradient_y")


class Render:
    """Of one image, on several devices."""

    def __init__(self, checks, size, *job, fields=FIELDS):
        self.checks, self.fields = checks, fields
        # The two fields of a gradient are asked for together.
        asked = dict.fromkeys(field.partition("_")[0] for field in fields)
        self.job = ("--size", size, *job, "--fields", ",".join(asked))

    def command(self, device, name, *options):
        return (self.checks.tessera, "render", *self.job, "--device", device, "--output", f"{name}.h5", "--report",
                f"{name}.json", "--quiet", *options)

    def report(self, name):
        return json.loads((self.checks.folder / f"{name}.json").read_text())

    def on(self, device, *options, name="image", ranks=0, **run_options):
        """Its report."""
        self.checks.run(*self.command(device, name, "--overwrite", *options), ranks=ranks, **run_options)
        return self.report(name)

    def take_truth(self, device, *options):
        self.on(device, *options, name="truth")

    def same_as_truth(self, name="image"):
        """Fails if any field of any pixel differs from that of the truth."""
        names = string.ascii_lowercase[:2 * len(self.fields)]
        fields = [f"{file}.h5:/{field}" for field in self.fields for file in ("truth", name)]
        differs = " | ".join(f"({a} != {b})" for a, b in zip(names[::2], names[1::2]))
        report = self.checks.folder / "differing.json"
        self.checks.run(self.checks.tessera, "reduce", *fields, "--map", differs, "--op", "sum", "--device", "cpu", "--quiet",
                        "--report", report)
        same(json.loads(report.read_text())["results"][0]["values"][0]["decimal"], "0", "pixels that differ from the reference")

    def verify(self, device, sample, name="image"):
        self.checks.run(self.checks.tessera, "verify", f"{name}.h5", "--device", device, "--sample", sample, "--quiet")
