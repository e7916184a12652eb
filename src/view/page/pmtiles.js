// Reads single tiles of a PMTiles archive (version 3) by range requests.
const kHead = 16384;  // the header and the first directory
const kMaxLeaves = 64;

async function unpack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Numbers, each in groups of seven bits, the lowest first. */
function* varints(bytes) {
  let value = 0;
  let scale = 1;
  for (const byte of bytes) {
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte < 128) {
      yield value;
      value = 0;
      scale = 1;
    }
  }
}

function entriesOf(bytes) {
  const numbers = varints(bytes);
  const next = () => numbers.next().value;
  const entries = Array.from({ length: next() }, () => ({}));
  let tile = 0;
  for (const one of entries) one.tile = tile += next();
  for (const one of entries) one.run = next();
  for (const one of entries) one.bytes = next();
  entries.forEach((one, i) => {
    const offset = next();
    one.offset = offset ? offset - 1 : entries[i - 1].offset + entries[i - 1].bytes;
  });
  return entries;
}

/** Hilbert's curve; numbers of up to 2^53 are exact. */
export function numberOf(zoom, x, y) {
  let number = (4 ** zoom - 1) / 3;
  for (let side = 2 ** zoom / 2; side >= 1; side /= 2) {
    const right = x >= side ? 1 : 0;
    const below = y >= side ? 1 : 0;
    number += side * side * ((3 * right) ^ below);
    x -= right * side;
    y -= below * side;
    if (!below) [x, y] = right ? [side - 1 - y, side - 1 - x] : [y, x];
  }
  return number;
}

export class PmTiles {
  /** `get(url, options)`: as fetch(), and throws for what is no success. */
  constructor(url, get) {
    Object.assign(this, { url, get, leaves: new Map() });
  }

  async range(first, bytes, signal) {
    const answer = await this.get(this.url, { headers: { Range: `bytes=${first}-${first + bytes - 1}` }, signal });
    if (answer.status !== 206) throw new Error("this web server answers no range requests; publish with --tiles folder");
    return new Uint8Array(await answer.arrayBuffer());
  }

  /** Once, for all tiles. */
  root() {
    this.opened ??= this.range(0, kHead).then(async (head) => {
      const view = new DataView(head.buffer);
      const number = (at) => Number(view.getBigUint64(at, true));
      this.leavesAt = number(40);
      this.tilesAt = number(56);
      return entriesOf(await unpack(head.subarray(number(8), number(8) + number(16))));
    });
    this.opened.catch(() => { this.opened = undefined; });
    return this.opened;
  }

  leaf({ offset, bytes }) {
    if (!this.leaves.has(offset)) {
      if (this.leaves.size === kMaxLeaves) this.leaves.delete(this.leaves.keys().next().value);
      const leaf = this.range(this.leavesAt + offset, bytes).then(unpack).then(entriesOf);
      leaf.catch(() => this.leaves.delete(offset));
      this.leaves.set(offset, leaf);
    }
    return this.leaves.get(offset);
  }

  /** A picture as a Blob. */
  async tile(zoom, x, y, signal) {
    const number = numberOf(zoom, x, y);
    for (let entries = await this.root();;) {
      let [low, high] = [0, entries.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (entries[middle].tile <= number) low = middle + 1;
        else high = middle;
      }
      const entry = entries[low - 1];
      if (!entry) throw new Error("the archive lacks a tile");
      if (entry.run > 0) {
        if (number >= entry.tile + entry.run) throw new Error("the archive lacks a tile");
        return new Blob([await this.range(this.tilesAt + entry.offset, entry.bytes, signal)], { type: "image/png" });
      }
      entries = await this.leaf(entry);
    }
  }
}
