"""The row of the viewer: pictures of tiles, the smaller scales, many clients, the start, a run that is watched."""

import http.client
import json
import os
import random
import re
import selectors
import shutil
import socket
import subprocess
import threading
import time
import urllib.parse
from contextlib import contextmanager
from statistics import median

from measure import SEAHORSE, BenchError, number, peak_resident_bytes, run
from rows import TESSERA, line, need, render, shown, tessera

CLIENTS, TILES_OF_A_CLIENT = 100, 30
PATIENCE_S = 600


@contextmanager
def server(file, *options):
    """`tessera serve FILE`: the address, and its process."""
    need(TESSERA)
    command = [str(TESSERA), "serve", str(file), "--no-token", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield urllib.parse.urlsplit(process.stdout.readline().strip()), process
        finally:
            process.terminate()


def get(connection, target):
    """The body, and how long it took."""
    start = time.perf_counter()
    connection.request("GET", target)
    answer = connection.getresponse()
    body = answer.read()
    seconds = time.perf_counter() - start
    if answer.status != 200:
        raise BenchError(f"{target}: status {answer.status}: {body[:200]!r}")
    return body, seconds


def connect(address):
    return http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE_S)


def start_s(file):
    """From the start of the program to the first picture of the whole."""
    file.with_name(file.name + ".iterations.pyramid").unlink(missing_ok=True)
    start = time.perf_counter()
    with server(file) as (address, _):
        connection = connect(address)
        level = top_level(connection)
        get(connection, f"/tiles/0/{level}/0/0.png")
        return time.perf_counter() - start


def top_level(connection):
    return json.loads(get(connection, "/api/images")[0])["images"][0]["levels"] - 1


def scales(file):
    """Seconds to build the smaller scales, and the memory of the process."""
    pyramid = file.with_name(file.name + ".iterations.pyramid")
    pyramid.unlink(missing_ok=True)
    with server(file) as (address, process):
        connection = connect(address)
        start = time.perf_counter()
        while json.loads(get(connection, "/api/images/0")[0])["scales"] < 1:
            if time.perf_counter() - start > PATIENCE_S:
                raise BenchError("the smaller scales are not built")
            time.sleep(0.02)
        seconds, peak = time.perf_counter() - start, peak_resident_bytes(process.pid, "tessera")
    if not pyramid.exists():
        raise BenchError("the smaller scales were not kept")
    return seconds, peak


def tiles(file, size):
    """Seconds of pictures at full size, cold and warm, on one core."""
    chance = random.Random(7)
    side = size // 256
    places = [(chance.randrange(side), chance.randrange(side)) for _ in range(60)]
    with server(file, "--threads", "1") as (address, _):
        connection = connect(address)
        get(connection, "/tiles/0/0/0/0.png")
        cold = [get(connection, f"/tiles/0/0/{x}/{y}.png")[1] for x, y in places]
        warm = [get(connection, f"/tiles/0/0/{x}/{y}.png")[1] for x, y in places]
    return median(cold), median(warm)


class Client:
    """Pans over a view of its own and asks for one tile after the other."""

    def __init__(self, number, address, size):
        self.chance = random.Random(number)
        self.level = self.chance.choice((0, 1, 2, 3))
        self.side = max(size >> self.level >> 8, 1)
        self.x, self.y = self.chance.randrange(self.side), self.chance.randrange(self.side)
        self.left, self.seconds = TILES_OF_A_CLIENT, []
        self.socket = socket.create_connection((address.hostname, address.port))
        self.ask()

    def ask(self):
        self.x = min(max(self.x + self.chance.choice((-1, 0, 1)), 0), self.side - 1)
        self.y = min(self.y + 1, self.side - 1)
        self.got, self.wanted = bytearray(), None
        self.begin = time.perf_counter()
        self.socket.sendall(f"GET /tiles/0/{self.level}/{self.x}/{self.y}.png HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())

    def take(self):
        """Called when something has arrived; false at the end."""
        piece = self.socket.recv(1 << 18)
        self.got += piece
        if not piece:
            raise BenchError("a connection ended")
        if self.wanted is None:
            end = self.got.find(b"\r\n\r\n")
            if end < 0:
                return True
            if not self.got.startswith(b"HTTP/1.1 200"):
                raise BenchError(f"a tile was refused: {bytes(self.got[:end])!r}")
            self.wanted = end + 4 + int(re.search(rb"(?i)content-length: (\d+)", self.got[:end]).group(1))
        if len(self.got) < self.wanted:
            return True
        self.seconds.append(time.perf_counter() - self.begin)
        self.left -= 1
        if self.left:
            self.ask()
        return self.left > 0


def crowd(file, size):
    """Seconds of the pictures of many clients that pan at once. One thread plays all of them: the cores are the server's."""
    with server(file) as (address, _), selectors.DefaultSelector() as arrivals:
        clients = [Client(number, address, size) for number in range(CLIENTS)]
        for client in clients:
            arrivals.register(client.socket, selectors.EVENT_READ, client)
        while arrivals.get_map():
            for key, _ in arrivals.select():
                if not key.data.take():
                    arrivals.unregister(key.fileobj)
                    key.fileobj.close()
    return sorted(seconds for client in clients for seconds in client.seconds)


def watch(address, ended):
    """One page that follows a run: it asks as often as watch.js does, and fetches the pictures of a window that changed."""
    connection, known, pictures = connect(address), None, 0
    while not ended.wait(0.7):
        images = json.loads(get(connection, "/api/images")[0])["images"]
        if not images:
            continue
        image = json.loads(get(connection, f"/api/images/{images[0]['id']}")[0])
        if image["version"] == known:
            continue
        known = image["version"]
        get(connection, f"/api/images/{image['id']}/map")
        level = image["levels"] - 3  # at most 4 x 4 pictures of 256 pixels
        side = -(-image["width"] // (256 << level))
        for x, y in ((x, y) for x in range(side) for y in range(side)):
            get(connection, f"/tiles/{image['id']}/{level}/{x}/{y}.png?version={known}")
            pictures += 1
    return pictures


def processor_s_of(process):
    """Of all its threads so far, also those that have ended: as clock_getcpuclockid(3) of a process that runs."""
    return time.clock_gettime(~process.pid << 3 | 2)


def rendered_s(settings, size):
    """Wall and processor seconds of a render, as a user waits for it."""
    done, _ = render(settings, "watched/image", settings.ranks, *SEAHORSE, "--size", f"{size}x{size}")
    return done.wall_s, done.cpu_s


def watched_pair(settings, size):
    """A render that one page watches, and one that nobody does: wall and processor seconds of each, and processor seconds
    of the server until the render ended."""
    folder = settings.folder / "watched"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    alone = rendered_s(settings, size)
    for file in folder.glob("*.h5*"):
        file.unlink()
    ended, pictures = threading.Event(), []
    with server(folder) as (address, process):
        page = threading.Thread(target=lambda: pictures.append(watch(address, ended)))
        page.start()
        watched = rendered_s(settings, size)
        server_s = processor_s_of(process)
        ended.set()
        page.join()
    shutil.rmtree(folder)
    if not pictures:  # a short run may end before the first one
        raise BenchError("the page could not follow the run")
    return watched, alone, server_s


def viewer(settings):
    """tessera serve: pictures of tiles, smaller scales against color, 100 clients, the start."""
    size = settings.px(131072)
    done, file = render(settings, "viewer", settings.ranks, "--view", "whole", "--size", f"{size}x{size}",
                        "--fields", "iterations")
    first_s = start_s(file)
    pairs, peak = [], 0
    picture, report = file.with_suffix(".png"), settings.folder / "viewer-color.json"
    color = tessera(1, "color", file, picture, "--overwrite", "--report", report, "--quiet")
    for _ in range(settings.repeats):
        color_s = number(run(color, report).report, "wall_s")
        seconds, peak = scales(file)
        pairs.append(seconds / color_s)
    picture.unlink()
    cold_s, warm_s = tiles(file, size)
    waits = crowd(file, size)
    lines = [line("start to the first picture", first_s, "s", 0.3, "lower"),
             line(f"tile of {size}² at full size, cold, one thread", 1e3 * cold_s, "ms", 15.0, "lower"),
             line("the same again", 1e3 * warm_s, "ms", 4.0, "lower"),
             line(f"smaller scales of {size}² : color", median(pairs), "×", 1.5, "lower"),
             line("their memory", peak / 2**20, "MiB", 512.0, "lower"),
             line(f"99 % of {len(waits)} tiles of {CLIENTS} clients", 1e3 * waits[int(0.99 * len(waits))], "ms",
                  500.0, "lower")]
    rendered = [watched_pair(settings, settings.px(32768)) for _ in range(settings.repeats)]
    lines += [line(f"render with one viewer : without, {part} time", median(pair[0][i] / pair[1][i] for pair in rendered),
                   "×", 1.02, "lower") for i, part in enumerate(("wall", "processor"))]
    cores = len(os.sched_getaffinity(0))
    lines.append(line("processor time of the server : time of all cores during that render",
                      median(server_s / (cores * watched[0]) for watched, _, server_s in rendered), "×", 0.02, "lower"))
    for name in (file, file.with_name(file.name + ".iterations.pyramid")):
        name.unlink(missing_ok=True)
    return {"lines": lines, "commands": shown([done.command, color, [TESSERA, "serve", file]])}
