"""One page of Markdown for docs/benchmarks/ from the results of a run."""

import shlex


def shown(value):
    """Three significant digits, and no more."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def verdict(line):
    if line.get("goal") is None:
        return ""
    reached = line["value"] >= line["goal"] if line["better"] == "higher" else line["value"] <= line["goal"]
    return "yes" if reached else "no"


def table(results):
    rows = ["| row | what | measured | to reach | reached |", "|---|---|---|---|---|"]
    for result in results:
        if "error" in result:
            rows.append(f"| {result['row']} | failed: {result['error'].replace('|', '/')} | | | |")
        if "skipped" in result:
            rows.append(f"| {result['row']} | skipped: {result['skipped'].replace('|', '/')} | | | |")
        for line in result["lines"]:
            sign = "≥" if line.get("better") == "higher" else "≤"
            goal = "" if line.get("goal") is None else f"{sign} {shown(line['goal'])} {line['unit']}"
            rows.append(f"| {result['row']} | {line['what']} | {shown(line['value'])} {line['unit']} "
                        f"| {goal} | {verdict(line)} |")
    return rows


def commands(results):
    lines = []
    for result in results:
        for command in result.get("commands", []):
            lines.append(f"    {shlex.join(command)}")
    return list(dict.fromkeys(lines))


def notes(results):
    lines = dict.fromkeys(note for result in results for note in result.get("notes", []))
    return [*(f"- {note}" for note in lines), *([""] if lines else [])]


def markdown(results, where, arguments):
    """The table, where it was measured, and the commands behind it."""
    quick = any(result["quick"] for result in results)
    note = ["**A quick run at an eighth of each side: no result.**", ""] if quick else []
    flags = ", ".join(f"{name}={value}" for name, value in where["flags"].items() if value)
    machine = f"{where['date']}, {where['cpu']}, {where['cores']} cores, Linux {where['kernel']}"
    made_with = "; ".join(filter(None, [machine, where["compiler"], flags]))
    return "\n".join([
        f"# Benchmarks of {where['commit']}", "", *note,
        f"{made_with}. Load before: {where['load_1min']:.1f}.", "",
        f"Made by `{shlex.join(['tools/bench', *arguments])}`: medians of {results[0]['repeats']} pairs, both "
        "sides of a ratio measured one right after the other.", "",
        *table(results), "", *notes(results), "Commands:", "", *commands(results), "",
    ])
