"""What the commands print when all is well."""

import json
import os

from program import ProgramTest, main


class Usage(ProgramTest):
    def test_help_lists_commands_and_options(self):
        said = self.assert_done("--help")
        for command in ("render", "color", "info", "verify", "devices", "bench", "plan", "views"):
            self.assertIn(command, said)
        said = self.assert_done("render", "--help")
        for option in ("view", "center", "width", "size", "iterations", "bailout", "fields", "tile", "device",
                       "threads", "memory", "output", "png", "palette", "compress", "overwrite", "quiet",
                       "report", "trace"):
            self.assertIn("--" + option, said)
        self.assertIn("tessera 0.", self.assert_done("--version"))

    def test_views_are_at_least_twelve(self):
        said = self.assert_done("views")
        self.assertGreaterEqual(said.count("--center"), 12)

    def test_help_is_printed_once_under_mpirun(self):
        self.assertEqual(self.assert_done("--help", ranks=3).count("Exit codes"), 1)
        self.assertEqual(self.assert_done("views", ranks=3), self.assert_done("views"))

    def test_devices_says_what_and_why_not(self):
        said = self.assert_done("devices", ranks=2)
        for word in ("rank 0", "rank 1", "cores", "NUMA", "reference", "cpu", "cuda", "opencl", "auto",
                     "no: only when named"):
            self.assertIn(word, said)

    def test_devices_as_json_has_every_rank_and_a_reason_for_what_it_would_not_use(self):
        report = json.loads(self.assert_done("devices", "--json", "--device", "reference", ranks=2))
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [0, 1])
        for rank in report["ranks"]:
            self.assertEqual((rank["uses"], rank["problem"]), (["reference"], None))
            self.assertGreaterEqual(rank["workers"], 1)
            self.assertGreaterEqual(rank["node_cores"], rank["allowed_cores"])
            names = {device["name"]: device for device in rank["devices"]}
            self.assertTrue(names["reference"]["used"])
            self.assertEqual(names["cpu"]["reason"], "only when named")
            for device in rank["devices"]:
                self.assertEqual(device["used"], device["reason"] is None, device)

    def test_devices_tells_what_cannot_be_opened(self):
        done = self.run_program("devices", "--device", "cpu:abacus")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("--device cpu:abacus is cpu:abacus here, but: ", done.stdout)

    def test_plan_renders_nothing(self):
        said = self.assert_done("plan", "--view", "seahorse", "--size", "4096x4096")
        for word in ("tiles", "8 x 8", "time", "memory", "file"):
            self.assertIn(word, said)
        self.assertEqual(os.listdir(self.folder), [])

    def test_render_prints_a_table_and_quiet_prints_nothing(self):
        said = self.assert_done("render", "--size", "100x80", "--output", "a.h5")
        self.assertIn("compute", said)
        done = self.run_program("render", "--size", "100x80", "--output", "b.h5", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_report_and_trace_are_json_with_a_line_per_worker(self):
        self.assert_done("render", "--size", "700x500", "--tile", "64", "--device", "cpu", "--threads", "2", "--fields",
                         "iterations,smooth", "--output", "a.h5", "--png", "a.png", "--quiet",
                         "--report", "r.json", "--trace", "t.json", ranks=2)
        report = self.read_json("r.json")
        self.assertEqual(len(report["ranks"]), 2)
        self.assertEqual(sum(rank["tiles"] for rank in report["ranks"]), 11 * 8)
        self.assertEqual(sum(rank["pixels"] for rank in report["ranks"]), 700 * 500)
        trace = self.read_json("t.json")
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        lines = {(e["pid"], e["args"]["name"]) for e in events if e["name"] == "thread_name"}
        workers = [line for line in lines if "worker" in line[1]]
        self.assertEqual(len(workers), 4)
        for rank in (0, 1):
            main = [e["tid"] for e in events if e["name"] == "thread_name" and e["pid"] == rank
                    and e["args"]["name"] == "main"]
            spans = [e for e in events if e.get("ph") == "X" and (e["pid"], e["tid"]) == (rank, main[0])]
            self.assertEqual([e["name"] for e in spans][:5],
                             ["start", "find devices", "open devices", "open file", "plan"])
            self.assertEqual(spans[0]["ts"], 0)
            for before, after in zip(spans[:4], spans[1:5]):
                self.assertAlmostEqual(before["ts"] + before["dur"], after["ts"], delta=1)
        computed = [e for e in events if e.get("ph") == "X" and e["name"].startswith("compute")]
        self.assertGreaterEqual(len(computed), 11 * 8)

    def computed_slices(self, trace):
        """Of each slice, how often it is in the trace of a reduction."""
        events = [e for e in self.read_json(trace)["traceEvents"] if e.get("ph") == "X" and e["name"] == "compute"]
        slices = [e["args"]["slice"] for e in events]
        return {one: slices.count(one) for one in slices}

    def test_reduce_writes_a_trace_with_every_slice(self):
        job = ("linspace:0,1?count=160000", "--slice", "64K", "--quiet", "--threads", "2")
        self.assert_done("reduce", *job, "--op", "sum", "--trace", "t.json", ranks=2)
        self.assertEqual(self.computed_slices("t.json"), {i: 1 for i in range(20)})
        processes = [e["pid"] for e in self.read_json("t.json")["traceEvents"] if e["name"] == "process_name"]
        self.assertEqual(sorted(processes), [0, 1])
        # Two passes over the array.
        self.assert_done("reduce", *job, "--op", "histogram=3", "--trace", "t.json")
        self.assertEqual(self.computed_slices("t.json"), {i: 2 for i in range(20)})

    def assert_no_hole(self, trace, *names):
        """The main thread of each rank begins at 0 with these phases, one after the other."""
        events = self.read_json(trace)["traceEvents"]
        mains = [(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "main"]
        self.assertGreater(len(mains), 0)
        for main in mains:
            spans = [e for e in events if e.get("ph") == "X" and (e["pid"], e["tid"]) == main]
            self.assertEqual([e["name"] for e in spans][:len(names)], list(names))
            self.assertEqual(spans[0]["ts"], 0)
            for before, after in zip(spans[:len(names) - 1], spans[1:len(names)]):
                self.assertAlmostEqual(before["ts"] + before["dur"], after["ts"], delta=1)

    def test_the_trace_of_a_reduction_begins_with_its_start(self):
        opening = ("start", "open file", "find devices", "open devices")
        for options in (("--op", "sum"), ("--op", "histogram=3"), ("--op", "max", "--axis", "0", "--output", "o.npy")):
            self.assert_done("reduce", "linspace:0,1?count=160000", "--quiet", *options, "--trace", "t.json", ranks=2)
            self.assert_no_hole("t.json", *opening)
        self.assert_no_hole("t.json", *opening, "open file")
        self.assertIn("close file", [e["name"] for e in self.read_json("t.json")["traceEvents"]])

    def test_reduce_along_axes_writes_a_trace(self):
        self.write("a.f8", "8 bytes." * 6000)
        self.assert_done("reduce", "a.f8?dtype=f8&shape=6x1000", "--op", "max", "--axis", "0", "--output", "o.npy",
                         "--quiet", "--trace", "t.json")
        items = len(self.computed_slices("t.json"))
        self.assertGreater(items, 0)
        # An output that is complete already: nothing is computed.
        self.assert_done("reduce", "a.f8?dtype=f8&shape=6x1000", "--op", "max", "--axis", "0", "--output", "o.npy",
                         "--quiet", "--trace", "t.json")
        self.assertEqual(self.computed_slices("t.json"), {})

    def test_options_win_over_the_job_file(self):
        self.write("a.toml", "size = '64x64'\noutput = 'a.h5'\niterations = 50\n")
        self.assert_done("render", "a.toml", "--iterations", "70", "--quiet")
        said = self.assert_done("info", "a.h5")
        self.assertRegex(said, r"iterations +70")
        self.assertRegex(said, r"size +64x64")

    def test_info_tells_how_it_was_made_and_how_complete_it_is(self):
        self.assert_done("render", "--view", "elephant", "--size", "300x200", "--tile", "100", "--quiet",
                         "--output", "a.h5", ranks=2)
        said = self.assert_done("info", "a.h5")
        for word in ("300 x 200", "elephant", "complete", "6 of 6", "f64-fma", "fingerprint", "compute"):
            self.assertIn(word, said)

    def test_overwrite_replaces(self):
        self.assert_done("render", "--size", "64x64", "--quiet", "--output", "a.h5")
        self.assert_done("render", "--size", "32x32", "--quiet", "--output", "a.h5", "--overwrite")
        self.assertIn("32 x 32", self.assert_done("info", "a.h5"))
        self.assertEqual(os.listdir(self.folder), ["a.h5"])


if __name__ == "__main__":
    main()
