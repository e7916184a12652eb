"""What the tests of images share: what is in a file, and how far the log beside it is."""

import os

try:
    import h5py
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-pil)")
    raise SystemExit(77)

FIELDS = ("iterations", "smooth", "distance")
LOG_HEADER_BYTES, LOG_RECORD_BYTES = 256, 120


def read_image(path):
    """Bytes of the fields of a complete file, and its /tiles."""
    with h5py.File(path, "r") as file:
        assert file.attrs["status"] in (b"complete", "complete"), file.attrs["status"]
        return [file[field][()].tobytes() for field in FIELDS if field in file], file["tiles"][()]


def pixels_of(path):
    """Of a PNG: mode, size and pixels; not its texts, which name the file and the command."""
    with Image.open(path) as picture:
        return picture.mode, picture.size, picture.tobytes()


def stored_tiles(path):
    """Of an image that is not complete: tiles that its log has."""
    try:
        size = os.path.getsize(path + ".part.log")
    except FileNotFoundError:
        return 0
    return max(0, size - LOG_HEADER_BYTES) // LOG_RECORD_BYTES
