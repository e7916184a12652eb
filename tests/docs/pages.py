"""Reads the shell blocks of Markdown pages and runs them as a reader would paste them.

    ```sh          commands without output; each must end with exit code 0
    ```console     commands after "$ " (continued after "> "), each followed by the output that it must print
    ```python      a Python program
    ```sh skip=gpu a block that is only parsed, for one of the reasons in REASONS

In the output, "..." stands for any text within a line, and a line "..." for any number of lines. A command that fails
must be followed by "$ echo $?", whose output is the exit code.
"""

import dataclasses
import os
import re
import secrets
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))

from surroundings import HANG_S

REASONS = {"gpu", "slurm", "root", "build", "minutes", "files"}  # files: those of the reader
LANGUAGES = {"sh", "console", "python"}
# The first word of an indented line that a reader would paste.
PROGRAMS = re.compile(r"(\$ )?(\w+=\$\()?([A-Z_]+=\S+ )*"
                      r"(sudo |mpirun |srun |sbatch |tessera( \S|$)|tools/|cmake |ctest |python3 |mkdir )")


@dataclasses.dataclass
class Block:
    page: str
    line: int  # of the fence
    language: str
    skip: str
    text: str

    def where(self):
        return f"{self.page}:{self.line}"


@dataclasses.dataclass
class Command:
    line: int
    text: str
    shown: list  # lines of output; None if the page shows none


class PageError(Exception):
    pass


def read_blocks(page, text):
    """The blocks of LANGUAGES. A page error for a command that no block marks."""
    blocks = []
    opened = None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r" {0,3}```(.*)", line)
        if opened is not None:
            if fence:
                if opened.language in LANGUAGES:
                    blocks.append(opened)
                opened = None
            else:
                opened.text += line + "\n"
        elif fence:
            opened = open_block(page, number, fence[1].split())
        elif re.match(" {4}", line) and PROGRAMS.match(line.strip()):
            raise PageError(f"{page}:{number}: a command outside a ```sh or ```console block")
    if opened is not None:
        raise PageError(f"{opened.where()}: the block does not end")
    return blocks


def open_block(page, number, words):
    where = f"{page}:{number}"
    if not words:
        raise PageError(f"{where}: the block names no language; text, toml, sh, console, ...")
    skip = ""
    for word in words[1:]:
        name, _, skip = word.partition("=")
        if name != "skip" or skip not in REASONS:
            raise PageError(f"{where}: '{word}' is not skip=REASON, with one of {', '.join(sorted(REASONS))}")
    return Block(page, number, words[0], skip, "")


def syntax_error(text):
    """What bash says about commands that it cannot parse; "" if it can."""
    if text.rstrip("\n").endswith("\\"):
        return "the last line ends with a backslash"
    parsed = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    return parsed.stderr.strip() or ("" if parsed.returncode == 0 else "bash cannot parse it")


def commands_of(block):
    if block.language == "python":
        return [Command(block.line + 1, f"python3 - <<'END OF BLOCK'\n{block.text}END OF BLOCK\n", None)]
    commands = pasted_commands(block) if block.language == "sh" else console_commands(block)
    for command in commands:
        error = syntax_error(command.text)
        if error:
            raise PageError(f"{block.page}:{command.line}: {error}")
    return commands


def pasted_commands(block):
    """The shortest runs of lines that bash can parse."""
    commands = []
    begun = ""
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if not begun and (not line.strip() or line.startswith("#")):
            continue
        if not begun:
            commands.append(Command(number, "", None))
        begun += line + "\n"
        commands[-1].text = begun
        if not syntax_error(begun):
            begun = ""
    return commands


def console_commands(block):
    commands = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if line.startswith("$ "):
            commands.append(Command(number, line[2:] + "\n", []))
        elif not commands:
            raise PageError(f"{block.page}:{number}: the block begins with neither '$ ' nor a command")
        elif line.startswith("> ") and not commands[-1].shown:
            commands[-1].text += line[2:] + "\n"
        else:
            commands[-1].shown.append(line)
    return commands


def shown_pattern(shown):
    """A regular expression for the whole output."""
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ ]*\n"
    return re.compile(pattern)


def compare(command, printed):
    """What is wrong with the output; "" if it is as shown."""
    if command.shown is None or shown_pattern(command.shown).fullmatch(printed):
        return ""
    return "the page shows\n" + "\n".join(command.shown) + "\nand the command printed\n" + printed


def run_commands(commands, folder, environment, timeout_s):
    """The exit code and the output of each command, in one bash; fewer if bash came to its end."""
    mark = f"@@{secrets.token_hex(8)}"
    script = ""
    for command in commands:
        script += f"{command.text}\n__code=$?; printf '\\n{mark} %d\\n' $__code; (exit $__code)\n"
    with open(os.path.join(folder, ".printed"), "w+", errors="replace") as printed:
        subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=printed,
                       stderr=subprocess.STDOUT, timeout=timeout_s, check=False)
        printed.seek(0)
        parts = re.split(rf"\n{mark} (\d+)\n", printed.read())
    os.remove(os.path.join(folder, ".printed"))
    return [(int(code), text if not text or text.endswith("\n") else text + "\n")
            for text, code in zip(parts[::2], parts[1::2])]


def expects_failure(commands, i):
    return i + 1 < len(commands) and commands[i + 1].text.strip() == "echo $?"


def check_page(page, text, folder, environment, timeout_s=HANG_S):
    """Runs the page in `folder`. The faults, as text, the number of commands that ran and the number of blocks that were
    only parsed."""
    blocks = read_blocks(page, text)
    commands = []
    skipped = 0
    for block in blocks:
        found = commands_of(block)
        if block.skip:
            skipped += 1
        else:
            commands += found
    done = run_commands(commands, folder, environment, timeout_s)
    faults = []
    for i, (command, (code, printed)) in enumerate(zip(commands, done)):
        where = f"{page}:{command.line}: {command.text.strip()}"
        if code != 0 and not expects_failure(commands, i):
            faults.append(f"{where}\nexit code {code}\n{printed}")
        elif wrong := compare(command, printed):
            faults.append(f"{where}\n{wrong}")
    if len(done) < len(commands):
        faults.append(f"{page}:{commands[len(done)].line}: the shell ended here")
    return faults, len(done), skipped


def paste_environment(program, python, shims):
    """The environment of a reader: `program` and `python` are first in PATH, through links in the folder `shims`, and the
    Python package of the same build is found."""
    package = os.path.join(os.path.dirname(os.path.dirname(program)), "python")
    os.makedirs(shims, exist_ok=True)
    for name, target in (("tessera", program), ("python3", python)):
        os.symlink(target, os.path.join(shims, name))
    return {**os.environ, "PATH": f"{shims}:{os.environ['PATH']}", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "COLUMNS": "100", "PYTHONPATH": f"{package}:{os.environ.get('PYTHONPATH', '')}"}


def link_clone(source, folder):
    """Makes `folder` look like a clone of the repository that nothing was built in; new files stay in `folder`."""
    for name in sorted(os.listdir(source)):
        if name not in (".git", "build", "out"):
            os.symlink(os.path.join(source, name), os.path.join(folder, name))


