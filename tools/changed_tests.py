"""Prints the regular expression of the names of the tests that a change concerns; nothing, if it concerns none.

A change is what differs from the branch main, or from the commit before where this is main, files that git does not know
included. It reaches the files that include what has changed, or the header of a source that has changed, and so on; and
the tests of the rooms of all these. Of a command, these are the tests that bear its name, and those of options and usage."""

import collections
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests/layers"))
import check_includes  # noqa: E402

# Folders of which every test is concerned, as of this one.
EVERYTHING = re.compile(r"^(cmake/|CMake|tests/CMakeLists|src/CMakeLists|\.ci/|tests/cli/[a-z_]+\.py$)")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def changed_files():
    base = next(iter(git("merge-base", "HEAD", "main")), "HEAD") if git("branch", "--list", "main") else "HEAD~1"
    if base == git("rev-parse", "HEAD")[0] and not git("status", "--porcelain"):
        base = "HEAD~1"
    return {*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")}


def included_by():
    """Of each file of src and kernels, the files that include it."""
    users = collections.defaultdict(set)
    for folder in ("src", "kernels"):
        for source in (ROOT / folder).rglob("*"):
            if source.suffix in check_includes.SOURCES:
                for line in source.read_text(encoding="utf-8").splitlines():
                    found = check_includes.INCLUDE.match(line)
                    target = found and check_includes.included_file(ROOT, source, found[1] or found[2])
                    if target:
                        users[target].add(source)
    return users


def reached_from(files):
    """Those files, and all that include them, or the headers of their names, and so on."""
    users, reached, waiting = included_by(), set(), [ROOT / file for file in files]
    while waiting:
        file = waiting.pop()
        if file not in reached:
            reached.add(file)
            waiting += [*users[file], *(file.with_suffix(suffix) for suffix in (".hpp", ".h") if file.suffix == ".cpp"
                                        and file.with_suffix(suffix).exists())]
    return reached


def tests_of_files(files):
    scripts = [path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("*_test.py")]
    rooms = {parts[1] for file in files if (parts := file.relative_to(ROOT).parts)[0] == "src" and len(parts) > 2}
    rooms |= {"kernels" for file in files if file.relative_to(ROOT).parts[0] == "kernels"}
    commands = {file.name.split("_command.")[0] for file in files if "_command." in file.name}
    if commands and all("_command." in file.name for file in files if file.parent == ROOT / "src/command"):
        rooms.discard("command")
        yield r"cli\.(usage|bad_input|completions)|command|docs\.options_page"
    tested = {part for file in files if file.relative_to(ROOT).parts[0] == "tests" for part in [file.stem.removesuffix("_test")]}
    folders = {file.relative_to(ROOT).parts[1] for file in files if file.relative_to(ROOT).parts[0] == "tests"}
    for room in rooms | folders - {"cli"}:
        yield rf"{room}(\..*)?"
    for script in scripts:
        name = script.stem.removesuffix("_test")
        if script.parts[0] == "cli" and (script.parts[1] in rooms or name in tested
                                         or any(name.startswith(command) for command in commands)):
            yield rf"(cli|cuda_host)\.{name}"
    if rooms & {"device", "kernels", "expression"}:
        yield from (r"device_parity\..*", r"cuda_host\..*", "functions_.*")
    if rooms & {"reduce", "render", "farm", "comm"}:
        yield r"mpi\..*"
    if any(file.suffix == ".md" for file in files) or "command" in rooms:
        yield r"docs\..*"
    if any(file.relative_to(ROOT).parts[0] in ("tools", "benchmarks") for file in files):
        yield r"tools\.(?!package).*"
    yield r"layers\..*"


def main():
    changed = changed_files()
    if not changed:
        return
    if any(EVERYTHING.match(file) for file in changed):
        print(".")
        return
    print("^(" + "|".join(sorted(set(tests_of_files(reached_from(changed))))) + ")$")


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
