"""What tests/shims/record_writes.cpp has recorded, and the folders that a kill or a power cut would have left.

A kill leaves all changes before it, and the first bytes of the one that it falls into. A power cut leaves what was
synced; of what came after that, each sector of a file is as it was at some moment between the sync and the cut, and
so is the file's size; of changed names, the first so-and-so-many since the last sync of the folder.
"""

import os
import struct

from images import LOG_HEADER_BYTES

HEADER = struct.Struct("<IIQQQ")
OPENED, WROTE, CUT, SYNCED, SYNCED_FOLDER, RENAMED, REMOVED = range(1, 8)
SECTOR_BYTES = 512
PAGE_BYTES = 4096
INODE_IN_LOG, OWNER_IN_LOG = 56, 64


class Change:
    def __init__(self, kind, inode, offset, names, data):
        self.kind, self.inode, self.offset, self.names, self.data = kind, inode, offset, names, data


def read_recording(path):
    with open(path, "rb") as file:
        recorded = file.read()
    changes, at = [], 0
    while at < len(recorded):
        kind, text_bytes, inode, offset, data_bytes = HEADER.unpack_from(recorded, at)
        at += HEADER.size
        names = recorded[at:at + text_bytes].decode().split("\0")
        at += text_bytes
        changes.append(Change(kind, inode, offset, names, recorded[at:at + data_bytes]))
        at += data_bytes
    return changes


class File:
    """Contents that are sure to be on the disk, and what may be as well."""

    def __init__(self, inode, contents=b""):
        self.inode = inode
        self.sure = bytearray(contents)
        self.pending = []

    def change(self, contents, change):
        if change.kind == CUT:
            del contents[change.offset:]
            contents.extend(bytes(change.offset - len(contents)))
            return
        end = change.offset + len(change.data)
        contents.extend(bytes(max(0, end - len(contents))))
        contents[change.offset:end] = change.data

    def sync(self):
        for change in self.pending:
            self.change(self.sure, change)
        self.pending = []

    def latest(self):
        contents = bytearray(self.sure)
        for change in self.pending:
            self.change(contents, change)
        return bytes(contents)

    def after_power_cut(self, random):
        """Units of some size, each as it was at a moment of its own."""
        unit = random.choice((SECTOR_BYTES, PAGE_BYTES, 1 << 40))
        count = len(self.pending)
        moment = random.choice((lambda: random.randint(0, count), lambda: random.choice((0, count)),
                                lambda: count if random.random() < .95 else random.randint(0, count)))
        longest = max([len(self.sure), *map(self._end, self.pending)])
        units = {}
        for at in range(0, longest, unit):
            units.setdefault(moment(), []).append(at)
        size_moment = moment()
        now, then, size = bytearray(self.sure), bytearray(longest), 0
        for number in range(count + 1):
            for at in units.get(number, ()):
                part = now[at:min(at + unit, longest)]
                then[at:at + len(part)] = part
            if number == size_moment:
                size = len(now)
            if number < count:
                self.change(now, self.pending[number])
        return bytes(then[:size])

    @staticmethod
    def _end(change):
        return change.offset + len(change.data)


class Disk:
    """A folder, change by change. `before`: its files as they are when the recording begins, by name."""

    def __init__(self, before=None):
        self.files = {}  # by inode: the one that has this number now
        self.names = {}  # what each name means at the moment
        self.sure_names = {}
        self.pending_names = []
        for name, (inode, contents) in (before or {}).items():
            self.files[inode] = self.names[name] = File(inode, contents)
        self.sure_names = dict(self.names)

    def apply(self, change):
        kind = change.kind
        if kind == OPENED:
            name = change.names[0]
            if name not in self.names:
                self.files[change.inode] = File(change.inode)
                self._rename([(name, self.files[change.inode])])
            elif change.offset:  # emptied
                self.names[name].pending.append(Change(CUT, change.inode, 0, [], b""))
        elif kind in (WROTE, CUT):
            self.files[change.inode].pending.append(change)
        elif kind == SYNCED:
            self.files[change.inode].sync()
        elif kind == SYNCED_FOLDER:
            self.sure_names, self.pending_names = dict(self.names), []
        elif kind == RENAMED:
            old, new = change.names
            self._rename([(new, self.names[old]), (old, None)])
        elif kind == REMOVED:
            self._rename([(change.names[0], None)])

    def _rename(self, changes):
        self.pending_names.append(changes)
        self._set_names(self.names, changes)

    @staticmethod
    def _set_names(names, changes):
        for name, file in changes:
            if file is None:
                names.pop(name, None)
            else:
                names[name] = file

    def killed(self):
        """By name: inode and contents."""
        return {name: (file.inode, file.latest()) for name, file in self.names.items()}

    def after_power_cut(self, random):
        names = dict(self.sure_names)
        for changes in self.pending_names[:random.randint(0, len(self.pending_names))]:
            self._set_names(names, changes)
        return {name: (file.inode, file.after_power_cut(random)) for name, file in names.items()}


def replay(changes, count, before=None):
    """The disk after the first changes of a recording."""
    disk = Disk(before)
    for change in changes[:count]:
        disk.apply(change)
    return disk


def half_written(change, random):
    """What a kill may leave of a change: the kernel copies the bytes of a write in their order."""
    if change.kind != WROTE:
        return change
    return Change(WROTE, change.inode, change.offset, [], change.data[:random.randrange(len(change.data) + 1)])


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def _log_of_new_inodes(log, inodes):
    """A log names the file that it belongs to by its inode, which here is another one now."""
    if len(log) < LOG_HEADER_BYTES or not log.startswith(b"TSRLOG01"):
        return log
    if struct.unpack_from("<I", log, 8)[0] != crc32c(log[12:OWNER_IN_LOG]):
        return log
    inode = inodes.get(struct.unpack_from("<Q", log, INODE_IN_LOG)[0], 0)
    rest = log[12:INODE_IN_LOG] + struct.pack("<Q", inode)
    return log[:8] + struct.pack("<I", crc32c(rest)) + rest + log[OWNER_IN_LOG:]


def put_files(folder, files):
    """In the place of what is there. `files` as Disk has them."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    inodes = {}
    for name, (inode, contents) in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(contents)
            inodes[inode] = os.fstat(file.fileno()).st_ino
    for name, (inode, contents) in files.items():
        if name.endswith(".log"):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(_log_of_new_inodes(contents, inodes))
