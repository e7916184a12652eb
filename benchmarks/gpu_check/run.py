"""A run of the steps: time limits, outcomes, and the page, which is on disk before and after each step."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import sheet
from checks import first_lines, write_json
from measure import ROOT, first_line
from processes import END_S, adopt_orphans, end_all_below, reap

# A step that has less time is skipped; the page has to be written at the end.
LEAST_S, PAGE_S = 5.0, 8.0
OUT_OF_TIME = "no time was left; --only {} does it alone"
BAD = ("failed", "timed out")


def outcome_of(found, code, in_time):
    """Of a step, and the reason if there is one: from what it wrote, and how its process ended."""
    outcomes = [check["outcome"] for check in found["checks"]]
    cut = next((check["what"] for check in found["checks"] if check["outcome"] == "running"), "")
    if not in_time:
        return "timed out", f"in: {cut}" if cut else ""
    if not found.get("done"):
        return "failed", f"its process ended with {code}" + (f", in: {cut}" if cut else "")
    if "failed" in found:
        return "failed", found["failed"]
    if "skipped" in found:
        return "skipped", found["skipped"]
    for outcome in ("failed", "timed out"):
        if outcome in outcomes:
            return outcome, ""
    if outcomes and all(outcome == "skipped" for outcome in outcomes):
        return "skipped", ""
    return "passed", ""


def interrupt(number, _):
    raise SystemExit(128 + number)


class Run:
    def __init__(self, arguments, steps, call):
        self.arguments, self.steps, self.start = arguments, steps, time.monotonic()
        self.deadline = self.start + 60 * arguments.minutes - PAGE_S
        self.found = {"schema": "tessera-gpu-check-1", "version": self.version(), "call": call,
                      "date": time.strftime("%Y-%m-%d", time.gmtime()), "quick": arguments.quick,
                      "on_host": False, "device": None, "seconds": 0, "running": "", "to_come": [], "steps": []}

    def version(self):
        said = first_line([str(self.arguments.programs["tessera"]), "--version"])
        return said or "a program that does not start"

    def save(self):
        self.found["seconds"] = round(time.monotonic() - self.start, 1)
        write_json(self.arguments.out / "gpu-check.json", self.found)
        page = self.arguments.out / "gpu-check.md"
        page.with_suffix(".part").write_text(sheet.markdown(self.found))
        os.replace(page.with_suffix(".part"), page)

    def all(self):
        """Exit code."""
        (self.arguments.out / "steps").mkdir(parents=True, exist_ok=True)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, interrupt)
        adopt_orphans()
        try:
            for i, step in enumerate(self.steps):
                self.found["running"], self.found["to_come"] = step.name, [later.name for later in self.steps[i + 1:]]
                self.save()
                self.add(step)
        finally:
            end_all_below(os.getpid())
        self.found["running"], self.found["to_come"] = "", []
        self.save()
        print(f"== {self.arguments.out / 'gpu-check.md'}: {sheet.summary(self.found['steps'])}", file=sys.stderr)
        return 4 if any(step["outcome"] in BAD for step in self.found["steps"]) else 0

    def add(self, step):
        print(f"== {step.name}: {step.what}", file=sys.stderr, flush=True)
        result = self.result_of(step)
        self.found["steps"].append(result)
        self.found["device"] = self.found["device"] or result.get("device")
        self.found["on_host"] = bool(self.found["device"]) and "for tests" in self.found["device"]["what"]
        self.save()
        reason = f": {result['reason']}" if result["reason"] else ""
        print(f"   {result['outcome']}, {result['seconds']:.1f} s{reason}", file=sys.stderr, flush=True)

    def result_of(self, step):
        left_s = self.deadline - time.monotonic()
        limit_s = min(step.limit_s, self.arguments.limit or step.limit_s, left_s)
        result = {"step": step.name, "what": step.what, "outcome": "skipped", "reason": OUT_OF_TIME.format(step.name),
                  "seconds": 0.0, "limit_s": max(limit_s, 0), "checks": [], "lines": [], "notes": [], "commands": []}
        if left_s < LEAST_S:
            return result
        start = time.monotonic()
        written = self.arguments.out / "steps" / f"{step.name}.json"
        written.unlink(missing_ok=True)
        code, said, in_time = self.run(step, limit_s)
        if written.exists():
            result |= json.loads(written.read_text())
        result["outcome"], result["reason"] = outcome_of(result, code, in_time)
        if result["outcome"] == "failed" and not result.get("done"):
            result["reason"] += f"\n{first_lines(said.replace(f'{ROOT}/', ''))}"
        for check in result["checks"]:
            if check["outcome"] == "running":
                check["outcome"], check["said"] = result["outcome"], "the step ended here"
        result["seconds"] = round(time.monotonic() - start, 1)
        return result

    def run(self, step, limit_s):
        """In a process of its own. Its exit code, its stderr, and whether it ended by itself."""
        arguments = self.arguments
        command = [sys.executable, os.path.dirname(os.path.abspath(__file__)), "--step", step.name, "--out", arguments.out,
                   "--bin", arguments.bin, *(["--quick"] if arguments.quick else [])]
        log = arguments.out / "steps" / f"{step.name}.log"
        with open(log, "w") as errors:
            process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=errors,
                                       stderr=errors, start_new_session=True)
            try:
                code, in_time = process.wait(limit_s), True
            except subprocess.TimeoutExpired:
                code, in_time = None, False
                process.terminate()
        end_all_below(os.getpid())
        if not in_time:
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                pass  # in a call that does not return
        reap()
        shutil.rmtree(arguments.out / "files" / step.name, ignore_errors=True)
        said = log.read_text(errors="replace")
        if not said.strip():
            log.unlink()
        return code, said, in_time
