"""Runs the program on a terminal of a given width, and reads what a person would see there."""

import fcntl
import os
import pty
import re
import signal
import struct
import termios

from program import HANG_S, TESSERA, launched


def on_terminal(*arguments, columns=80, ranks=0, cwd="."):
    """The exit code and all that was written to the terminal."""
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = launched([TESSERA, *arguments], ranks)
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.chdir(cwd)
        signal.alarm(HANG_S)
        os.execvpe(command[0], command, environment)
    written = b""
    try:
        while part := os.read(terminal, 65536):
            written += part
    except OSError:  # the other end is closed
        pass
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status), written.decode()


def redrawn_lines(written):
    """The lines that were drawn one over the other, without the control characters."""
    return [line for line in re.findall(r"\r\x1b\[K([^\r\n]*)", written) if line]
