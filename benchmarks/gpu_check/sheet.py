"""The page for docs/benchmarks/: what fell short on top, then the steps, the numbers, the machine and the commands."""

import shlex

import page

BAD = ("failed", "timed out")


def cell(text):
    return text.replace("|", "/").replace("\n", "<br>")


def fallen_short(steps):
    """Rows: where, what, found, to reach."""
    rows = []
    for step in steps:
        if step["outcome"] in BAD and not any(check["outcome"] in BAD for check in step["checks"]):
            rows.append((step["step"], step["outcome"], step["reason"], ""))
        rows += [(step["step"], check["what"], f"{check['outcome']}: {check['said']}", "") for check in step["checks"]
                 if check["outcome"] in BAD]
        for line in step["lines"]:
            if page.verdict(line) == "no":
                sign = "≥" if line["better"] == "higher" else "≤"
                rows.append((step["step"], line["what"], f"{page.shown(line['value'])} {line['unit']}",
                             f"{sign} {page.shown(line['goal'])} {line['unit']}"))
    return rows


def short_table(steps):
    rows = fallen_short(steps)
    if not rows:
        goals = sum(line.get("goal") is not None for step in steps for line in step["lines"])
        return [f"Nothing; {goals} numbers had a goal."]
    return ["| step | what | found | to reach |", "|---|---|---|---|",
            *(f"| {' | '.join(cell(part) for part in row)} |" for row in rows)]


def skipped_checks(step):
    """By reason."""
    found = {}
    for check in step["checks"]:
        if check["outcome"] == "skipped":
            found.setdefault(check["said"], []).append(check["what"])
    return found


def found_in(step):
    """One cell about a step: its reason, or its checks by outcome."""
    counts = {}
    for check in step["checks"]:
        counts[check["outcome"]] = counts.get(check["outcome"], 0) + 1
    said = [step["reason"]] if step["reason"] else []
    if counts:
        said.append("checks: " + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    for reason, checks in skipped_checks(step).items():
        said.append(f"skipped, {reason}: {', '.join(checks)}")
    return cell("; ".join(said))


def step_table(steps):
    return ["| step | checks | outcome | s | limit s | found |", "|---|---|---|---|---|---|",
            *(f"| {step['step']} | {cell(step['what'])} | {step['outcome']} | {step['seconds']:.1f} | {step['limit_s']:.0f} "
              f"| {found_in(step)} |" for step in steps)]


def note_lines(steps):
    lines = []
    for step in steps:
        lines += [f"- {step['step']}: {cell(note)}" for note in step["notes"]]
    return lines


def said_by(steps):
    lines = []
    for step in steps:
        if step.get("said"):
            lines += ["", f"What step {step['step']} printed:", "", *(f"    {entry}" for entry in step["said"].splitlines())]
    return lines


def command_lines(steps):
    """Each with its exit code and its time. A command that was repeated in a step stands there once."""
    lines = []
    for step in steps:
        shown = {}
        for entry in step["commands"]:
            shown.setdefault(shlex.join(entry["command"]), []).append(entry)
        for command, entries in shown.items():
            codes = sorted({"no end" if entry["code"] is None else str(entry["code"]) for entry in entries})
            seconds = max(entry["seconds"] for entry in entries)
            times = f" ({len(entries)} times)" if len(entries) > 1 else ""
            lines.append(f"    {step['step']:9} exit {', '.join(codes):3} {seconds:7.2f} s  {command}{times}")
    return lines


def heads(found):
    """What a reader has to know before the numbers."""
    if found["running"]:
        left = ", ".join(found["to_come"]) or "none"
        yield f"**Not finished.** gpu-check was in step `{found['running']}` when this was written. Steps after it: {left}."
    if found["quick"]:
        yield "**A quick run at small sizes: its numbers are no results.**"
    if found["on_host"]:
        yield "**On the CUDA runtime for tests, not on a GPU: its numbers are no results.**"


def summary(steps):
    counts = {}
    for step in steps:
        counts[step["outcome"]] = counts.get(step["outcome"], 0) + 1
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items())


def markdown(found):
    steps = found["steps"]
    device = found["device"]
    about = f"{device['what']}, {device['driver']}" if device else "no CUDA device"
    lines = [f"# GPU check of {found['version']}", ""]
    for head in heads(found):
        lines += [head, ""]
    lines += [f"{found['date']}, {about}. `{found['call']}`, {found['seconds']:.0f} s. Steps: {summary(steps)}.", "",
              "## Fell short", "", *short_table(steps), "", "## Steps", "", *step_table(steps), ""]
    numbers = [{"row": step["step"], "lines": step["lines"]} for step in steps if step["lines"]]
    if numbers:
        lines += ["## Numbers", "", *page.table(numbers), ""]
    lines += ["## Notes", "", *note_lines(steps), *said_by(steps), "", "## Commands", "",
              "In the order of the steps; `exit` is the exit code, the time that of the slowest where it was repeated.", "",
              *command_lines(steps), ""]
    return "\n".join(lines)
