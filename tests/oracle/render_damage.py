"""Damage to files as disks, cables and people do it."""

import os

# Object headers, of which everything hangs, count three times.
SIGNATURES = (b"OHDR", b"OHDR", b"OHDR", b"OCHK", b"FADB", b"FAHD", b"FRHP", b"FHDB", b"BTHD", b"BTLF")
PAGE = 4096


def read(path):
    with open(path, "rb") as file:
        return bytearray(file.read())


def write(path, data):
    with open(path, "r+b") as file:  # the same inode, as the log knows it
        file.write(data)
        file.truncate()


def flip(rng, data, places):
    """Bits at these bytes; a few words."""
    said = []
    for place in places:
        bit = rng.randrange(8)
        data[place] ^= 1 << bit
        said.append(f"{place}.{bit}")
    return "bits flipped at " + " ".join(said)


def flip_anywhere(rng, data):
    return flip(rng, data, [rng.randrange(len(data)) for _ in range(rng.choice([1, 1, 2, 5, 20]))])


def flip_metadata(rng, data):
    """Within or beside a structure of HDF5; at the start of the file, which is one, where none is found."""
    starts = [0]
    for signature in SIGNATURES:
        at = data.find(signature)
        while at >= 0:
            starts.append(at)
            at = data.find(signature, at + 1)
    start = rng.choice(starts)
    end = min(len(data), start + rng.choice([8, 48, 400]))
    return flip(rng, data, [rng.randrange(max(0, start - 8), end) for _ in range(rng.choice([1, 1, 1, 3]))])


def flip_start(rng, data):
    return flip(rng, data, [rng.randrange(min(len(data), 256))])


def truncate(rng, data):
    length = rng.choice([0, 1, rng.randrange(len(data)), rng.randrange(len(data)), len(data) - 1,
                         max(0, len(data) - rng.randrange(300)), len(data) // PAGE * PAGE])
    del data[length:]
    return f"cut at {length}"


def zero_page(rng, data):
    size = rng.choice([512, PAGE, PAGE, 16 * PAGE])
    start = rng.randrange(-(-len(data) // size)) * size
    end = min(start + size, len(data))
    data[start:end] = bytes(end - start)
    return f"bytes {start} to {end} zeroed"


def garbage(rng, data):
    start = rng.randrange(len(data))
    end = min(len(data), start + rng.choice([1, 8, 64, 512, PAGE]))
    data[start:end] = rng.randbytes(end - start)
    return f"bytes {start} to {end} overwritten by noise"


def append(rng, data):
    """Noise, zeros, or a piece of the file itself (a record twice)."""
    length = rng.choice([1, 7, 120, 240, PAGE, 50000])
    more = rng.choice([rng.randbytes(length), bytes(length), bytes(data[-length:])])
    data += more
    return f"{len(more)} bytes appended"


def stale_page(rng, data):
    """A page has the content of another, as after writes that went astray."""
    pages = -(-len(data) // PAGE)
    source, target = rng.randrange(pages) * PAGE, rng.randrange(pages) * PAGE
    moved = data[source:source + PAGE]
    data[target:target + len(moved)] = moved
    return f"the page at {source} copied over that at {target}"


KINDS = (flip_anywhere, flip_anywhere, flip_metadata, flip_metadata, flip_metadata, flip_start, truncate, zero_page,
         garbage, append, stale_page)


def damage(rng, path):
    """Does something to the file; what."""
    data = read(path)
    name = os.path.basename(path)
    if not data:
        write(path, b"\0")
        return f"{name}: a byte where it was empty"
    said = rng.choice(KINDS)(rng, data)
    write(path, data)
    return f"{name}: {said}"


def damage_unfinished(rng, output):
    """The .part file, its log or both; a list of what was done."""
    part, log = output + ".part", output + ".part.log"
    there = [path for path in (part, log) if os.path.exists(path)]
    kind = rng.random()
    if kind < .1 and log in there:
        os.remove(log)
        return ["the log removed"] + ([damage(rng, part)] if rng.random() < .6 and part in there else [])
    if kind < .14 and part in there:
        os.remove(part)
        return ["the .part file removed"]
    if kind < .2 and there:
        return [damage(rng, path) for path in there]
    if kind < .25:
        with open(part + ".new", "wb") as file:
            file.write(rng.randbytes(rng.choice([0, 100, 10000])))
        with open(part + ".new.log", "wb") as file:  # by which it is known
            file.write(b"TSRLOG01" + rng.randbytes(rng.choice([0, 100])))
        return ["noise as .part.new and its log"] + ([damage(rng, rng.choice(there))] if there else [])
    return [damage(rng, part if part in there and rng.random() < .75 else there[-1])] if there else []
