"""reduce --pool: runs that begin and end at any time print the answers of one run."""

import json
import os
import random
import signal

import array_files
from program import main
from reduce_runs import Checkpoint
from reduction import EVERYTHING, ReduceTest, expected, np
from runs import QUICKLY, SLOWLY, RunTest, wait_until

OPERATIONS = ",".join((*EVERYTHING, "histogram=7,-3,3"))
SLICE = ("--slice", "16K")
POOL = ("--pool", "pool", "--pool-lease", "0.5", "--pool-shares", "8", *SLICE)
ELEMENTS = 300_000  # 147 slices


class Pool(ReduceTest, RunTest):
    def setUp(self):
        super().setUp()
        self.array = np.random.default_rng(3).standard_normal(ELEMENTS) * 10.0 ** np.arange(ELEMENTS).clip(max=5)
        self.save(self.array)
        self.truth = self.values("a.npy")

    def values(self, *arguments, operations=OPERATIONS):
        """Of a run that is done, as text: one a line."""
        return self.assert_done("reduce", *arguments, "--op", operations, "--quiet").splitlines()

    def join(self, report, *more, pace=QUICKLY, pool=POOL, **options):
        """A run of the pool, whose answers go to a report."""
        return self.start_program("reduce", "a.npy", "--op", OPERATIONS, *pace, *pool, "--report", report, *more, **options)

    def results(self, report):
        results = self.read_json(report)["results"]
        for result in results:
            result.pop("places", None)
        return results

    def assert_made(self, *reports):
        self.assert_done("reduce", "a.npy", "--op", OPERATIONS, "--report", "truth.json", "--quiet")
        for report in reports:
            self.assertEqual(self.results(report), self.results("truth.json"), report)
        self.assertEqual(sorted(os.listdir(self.path("pool"))), ["answer.checkpoint", "leases", "pool.txt"])

    def names(self, suffix):
        folder = self.path("pool")
        return [name for name in os.listdir(folder) if name.endswith(suffix)] if os.path.exists(folder) else []

    def test_one_run(self):
        self.assertEqual(self.values("a.npy", *POOL), self.truth)
        self.assert_answers("a.npy", expected(self.array))
        self.assertEqual(self.values("a.npy", *POOL), self.truth)  # again: nothing is left to do
        self.assertIn("pool is complete", self.run_program("reduce", "a.npy", "--op", OPERATIONS, *POOL).stderr)
        whole = self.assert_done("reduce", "a.npy", "--op", OPERATIONS, "--json")
        pooled = self.assert_done("reduce", "a.npy", "--op", OPERATIONS, *POOL, "--json")
        self.assertEqual(json.loads(pooled)["results"], json.loads(whole)["results"])
        os.remove(self.path("pool/answer.checkpoint"))
        self.assert_refused(["reduce", "a.npy", "--op", OPERATIONS, *POOL], 2, "which is gone")

    def test_several_runs_and_ranks(self):
        runs = [self.join(f"{i}.json", "--quiet") for i in range(4)]
        runs.append(self.join("ranks.json", "--quiet", ranks=2))
        for run in runs:
            self.finish_well(run)
        self.assert_made("0.json", "1.json", "2.json", "3.json", "ranks.json")

    def test_runs_that_are_killed(self):
        chance = random.Random(self.random.random())
        for _ in range(4):
            runs = [self.join(f"{i}.json", "--quiet", pace=SLOWLY) for i in range(2)]
            seen = len(self.done())
            wait_until("a share is done", lambda: len(self.done()) > seen or all(run.poll() is not None for run in runs))
            chance.shuffle(runs)
            for run in runs:
                run.kill()
                self.finish(run)
        self.finish_well(self.join("last.json", "--quiet"))
        self.assert_made("last.json")

    def done(self):
        folder = self.path("pool/leases")
        return [name for name in os.listdir(folder) if name.endswith(".done")] if os.path.exists(folder) else []

    def test_a_share_goes_on_where_its_run_was_killed(self):
        first = self.join("1.json", "--quiet", "--checkpoint", "1", pace=SLOWLY, hold=9)  # a share has 18 slices
        self.assert_held(first)
        wait_until("slices are stored", lambda: any(self.stored(name) > 0 for name in self.names(".checkpoint")))
        self.kill(first)
        said = self.finish_well(self.join("2.json"))
        self.assertIn("which another run has left", said)
        self.assertIn("8 of 147 slices are done", said)
        self.assert_made("2.json")

    def stored(self, name):
        return Checkpoint(self.path(f"pool/{name}")).finished.sum()

    def test_a_run_that_stops_gives_its_share_back_at_once(self):
        pool = ("--pool", "pool", "--pool-lease", "1h", "--pool-shares", "8", *SLICE)
        first = self.join("1.json", "--quiet", "--max-seconds", "0.5", pace=SLOWLY, pool=pool, hold=9)
        self.assert_stops(first, "--max-seconds")
        self.finish_well(self.join("2.json", "--quiet", pool=pool))
        self.assert_made("2.json")
        self.assertFalse(os.path.exists(self.path("1.json")))

    def test_a_run_that_waits_is_stopped_by_its_time(self):
        first = self.join("1.json", "--quiet", pace=SLOWLY, pool=(*POOL[:2], "--pool-lease", "1h", "--pool-shares", "1", *SLICE), hold=9)
        self.assert_held(first)
        second = self.run_program("reduce", "a.npy", "--op", OPERATIONS, *POOL[:2], *SLICE, "--max-seconds", "0.2",
                                  "--quiet")
        self.assertEqual((second.returncode, second.stdout), (75, ""), second.stderr)
        self.assertIn("while others work in the pool", second.stderr)
        self.release()
        self.finish_well(first)
        self.assert_made("1.json")

    def test_a_run_that_slept_finds_its_share_taken(self):
        first = self.join("1.json", pace=SLOWLY, hold=9)
        self.assert_held(first)
        first.send_signal(signal.SIGSTOP)
        self.finish_well(self.join("2.json", "--quiet"))
        self.assert_made("2.json")
        first.send_signal(signal.SIGCONT)
        self.release()
        self.assertIn("pool is complete", self.finish_well(first))
        self.assertEqual(self.results("1.json"), self.results("2.json"))

    def test_a_joiner_that_was_killed_after_its_answer(self):
        self.finish_well(self.join("1.json", "--quiet"))
        os.remove(self.path("pool/leases/join.done"))
        self.finish_well(self.join("2.json", "--quiet"))
        self.assert_made("1.json", "2.json")

    def test_a_damaged_share_is_reduced_again(self):
        first = self.join("1.json", "--quiet", pace=SLOWLY, hold=30)  # in its second share
        self.assert_held(first)
        self.kill(first)
        share, = (name.removesuffix(".done") for name in self.done())
        with open(self.path(f"pool/{share}.1.checkpoint"), "r+b") as file:
            file.seek(-9, os.SEEK_END)
            file.write(b"\xff\x00\xff")
        self.assertIn("reduced again", self.finish_well(self.join("2.json")))
        self.assert_made("2.json")

    def test_an_input_that_changes_is_refused(self):
        first = self.join("1.json", "--quiet", pace=SLOWLY, hold=9)
        self.assert_held(first)
        self.save(self.array + 1)
        self.assert_refused(["reduce", "a.npy", "--op", OPERATIONS, *POOL], 2, "--pool pool", "a.npy has changed")
        self.release()  # it has read some of the old one
        code, said = self.finish(first)
        self.assertEqual(code, 2, said)
        self.assertIn("a.npy has changed", said)
        self.assertEqual(self.done(), [])

    def test_what_arrays_there_are(self):
        parts = [self.save(self.array[begin:begin + 50_000].reshape(100, 500), f"p{begin}.npy") for begin in (0, 50_000, 200_000)]
        self.save(np.arange(1., 501.), "w.npy")
        self.save(self.array[::-1].copy(), "b.npy")
        for i, (arguments, operations) in enumerate([
                (parts, "min,max,argmin,argmax,mean"),
                (parts + ["--nan", "skip", "--ddof", "1"], "std,sum,skewness,kurtosis"),
                (parts + ["--weights", "w.npy"], "mean,std,count"),
                (["a.npy", "--with", "b.npy"], "dot,sum"),
                (["a.npy", "--with", "b.npy"], "cov,corr"),
                (["a.npy", "b.npy", "--map", "sqrt(abs(a - b))"], "mean,max"),
                (["a.npy[3::7]"], "sum,argmin"),
                (["random:normal?count=100000&seed=4"], "mean,std,argmax"),
        ]):
            with self.subTest(arguments=arguments, operations=operations):
                self.assertEqual(self.values(*arguments, "--pool", f"pool{i}", "--pool-shares", "5", *SLICE, operations=operations),
                                 self.values(*arguments, operations=operations))

    def test_more_shares_than_slices(self):
        self.assertEqual(self.values("a.npy", "--pool", "p", "--pool-shares", "30", "--slice", "1M"), self.truth)
        self.save(np.zeros(0), "none.npy")
        self.assertEqual(self.values("none.npy", "--pool", "q", operations="sum,count"), ["0", "0"])

    def test_info_says_who_is_at_it(self):
        first = self.join("1.json", "--quiet", pace=SLOWLY, hold=9)
        self.assert_held(first)
        pool = json.loads(self.assert_done("info", "pool", "--json"))["files"][0]
        self.assertEqual((pool["kind"], pool["of"], pool["complete"], pool["shares"]), ("pool", "reduction", False, 8))
        self.assertIn("a.npy --op sum", pool["title"])
        self.assertIn(f"process {first.pid} on ", pool["held"][0]["by"])
        self.kill(first)
        self.finish_well(self.join("2.json", "--quiet"))
        self.assertIn(", complete", self.assert_done("info", "pool"))

    def test_what_does_not_fit_is_refused(self):
        first = self.join("1.json", "--quiet", pace=SLOWLY, hold=9)
        self.assert_held(first)
        refused = lambda arguments, *words: self.assert_refused(["reduce", *arguments], 2, *words)
        usual = ("a.npy", "--op", OPERATIONS, *POOL)
        refused(["a.npy", "--op", "sum", *POOL], "--pool pool", "another reduction", "another folder")
        refused(["a.npy[1:]", "--op", OPERATIONS, *POOL], "--pool pool", "another reduction")
        refused([*usual, "--slice", "32K"], "--pool pool", "--slice")
        refused([*usual, "--pool-shares", "9"], "--pool-shares 9", "has 8")
        self.assert_refused(["render", "--view", "seahorse", "--size", "64", "--output", "o.h5", "--pool", "pool"], 2, "another image")
        self.kill(first)
        for option in (["--overwrite"], ["--state", "s.st"], ["--checkpoint-file", "c"], ["--trace", "t.json"],
                       ["--report-html", "r.html"], ["--serve"]):
            refused([*usual, *option], option[0], "--pool is of many")
        refused([*usual, "--axis", "0", "--output", "o.npy"], "--pool", "leave out --axis")
        refused(["a.npy", "--by", "a.npy", "--op", "sum", "--pool", "p"], "--pool", "leave out --by")
        for operation, word in (("median", "median"), ("quantile=0.5", "quantile"), ("topk=3", "topk"), ("histogram=5", "LO,HI")):
            refused(["a.npy", "--op", operation, "--pool", "p"], "--pool", word)
        refused(["a.npy", "--op", "sum", "--pool", "p", "--report", "a.npy"], "--report", "a.npy")
        self.assert_refused(["reduce", "nothing.npy", "--op", "sum", "--pool", "p"], 3, "nothing.npy", "no such file")
        refused(["a.npy", "--op", "sum", "--pool-shares", "3"], "--pool-shares", "needs --pool")
        refused(["--state", "s.st", "--pool", "p"], "--pool", "INPUT")
        refused(["a.npy", "--op", "sum", "--pool", "p", "--pool-lease", "0"], "--pool-lease", "0.3 s")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--pool", "a.npy"], 4, "a.npy", "cannot be created")


if __name__ == "__main__":
    main()
