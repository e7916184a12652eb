"""The page of `tessera explore`, from Python."""

from tessera._context import find_program
from tessera._errors import MissingError, UsageError
from tessera._image import options_of


class Explorer:
    """A running `tessera explore`: any place, rendered while it is looked at.

    url  the address of its page, on this machine alone, with the token that it needs
    """

    def __init__(self, command):
        import subprocess  # seldom needed, and 2 ms of an import

        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         text=True, start_new_session=True)
        line = self._process.stdout.readline().strip()
        if not line.startswith("http"):
            told = self._process.communicate()[1].strip().removeprefix("tessera: ")
            raise UsageError(told or "explore: the program ended")
        self.url = line

    def close(self):
        """Ends it."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.communicate()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if hasattr(self, "_process") and self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def __repr__(self):
        return f"<tessera.Explorer {self.url}>"

    def _repr_html_(self):
        return f'<a href="{self.url}" target="_blank">{self.url}</a>'


def explore(view=None, /, **place):
    """Starts the page on which any place is rendered while it is looked at, by the program `tessera`.

    view, place  where it begins, as of render()
    Returns an Explorer, whose address is shown in a notebook. It ends with close(), or with Python.
    """
    found = find_program()
    if not found:
        raise MissingError("explore: there is no program `tessera` of this version; it is in the package tessera")
    place.pop("size", None)
    arguments = [f"--{name}={value}" for name, value in options_of(view, place)]
    return Explorer([found, "explore", *arguments])
