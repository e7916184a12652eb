"""Packs an installed package and its dist-info as a wheel.

usage: pack_wheel.py FOLDER OUT_FOLDER. Prints the name of the wheel. For the Python that runs it.
"""

import base64
import hashlib
import sys
import sysconfig
import zipfile
from pathlib import Path


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main(folder, out):
    information = next(folder.glob("*.dist-info"))
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{python}-{python}-{platform}"
    (information / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: tools/wheel\nRoot-Is-Purelib: false\nTag: {tag}\n")
    (information / "INSTALLER").unlink(missing_ok=True)
    wheel = out / f"{information.name.removesuffix('.dist-info')}-{tag}.whl"
    record = f"{information.name}/RECORD"
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name, data = path.relative_to(folder).as_posix(), path.read_bytes()
            archive.writestr(name, data)
            lines.append(f"{name},{digest(data)},{len(data)}\n")
        archive.writestr(record, "".join(lines) + f"{record},,\n")
    print(wheel)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
