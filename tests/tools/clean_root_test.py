"""README's first command on a clean system of another release: packages, build, the first picture on two ranks.

usage: clean_root_test.py PROGRAM SUITE [quick]. SUITE is trixie, bookworm or noble; PROGRAM is not used. With quick, the
quick tests run as well (tools/test --fast). Exit 77 where no such system can be made, which takes root, mmdebstrap and a
mirror of the release. Takes a build's time, with quick that of two: tools/soak runs it."""

import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UBUNTU_KEYRING = "https://archive.ubuntu.com/ubuntu/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb"
# Runs in the clean system.
COMMANDS = r"""
set -e
mkdir /srv/tessera
cd /srv/tessera
tar xf /srv/sources.tar
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tools/quickstart >quickstart.log 2>&1 || { tail -n 60 quickstart.log; exit 1; }
. /etc/os-release
echo "$PRETTY_NAME: $(g++ --version | head -n 1), $(mpirun --version | head -n 1)"
build/release/src/tessera verify out/first-light.h5
build/release/src/tessera reduce 'random:normal?count=1000000&seed=3' --op sum,std --quiet
"""
QUICK_TESTS = r"""
git init -q . && git add -A && git -c user.name=test -c user.email=test@localhost commit -qm test
tools/test --fast >test.log 2>&1 || { tail -n 100 test.log; exit 1; }
tail -n 5 test.log
"""


def skip(why):
    print("SKIPPED:", why)
    sys.exit(77)


def options_of(suite, folder):
    """Ubuntu's components, and its keys, which Debian has no package of."""
    if suite != "noble":
        return []
    package = os.path.join(folder, "keyring.deb")
    try:
        with urllib.request.urlopen(UBUNTU_KEYRING, timeout=60) as file, open(package, "wb") as to:
            shutil.copyfileobj(file, to)
    except OSError as error:
        skip(f"no keys of Ubuntu: {error}")
    subprocess.run(["dpkg", "-x", package, folder], check=True)
    return ["--components=main,universe", f"--keyring={folder}/usr/share/keyrings"]


def main(suite, quick=""):
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        skip("a clean system takes root and mmdebstrap")
    with tempfile.TemporaryDirectory(prefix="tessera_clean_") as folder:
        sources, script = os.path.join(folder, "sources.tar"), os.path.join(folder, "commands")
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "cf", sources, "--null", "--files-from", "-"], cwd=ROOT, input=files, check=True)
        with open(script, "w") as file:
            file.write(COMMANDS + (QUICK_TESTS if quick else ""))
        copies = [f"--customize-hook=copy-in '{name}' /srv" for name in (sources, script)]
        done = subprocess.run(["mmdebstrap", "--mode=root", "--variant=apt", *options_of(suite, folder), *copies,
                               '--customize-hook=chroot "$1" bash /srv/commands', suite, "/dev/null"],
                              capture_output=True, text=True)
        said = done.stdout + done.stderr
        if done.returncode != 0 and "/srv/commands" not in said:  # it failed before the hooks
            skip("no clean system here: " + done.stderr[-300:])
        print(said[-6000:])
        sys.exit(done.returncode)


if __name__ == "__main__":
    main(*sys.argv[2:])
