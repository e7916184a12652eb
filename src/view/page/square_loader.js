// Asks for the squares that the window shows: coarse ones first, those near the pointer first, five at a time.
import { get, isAbort, Refused, say } from "./api.js";
import { steps } from "./squares.js";

const kRequests = 5;  // at a time; browsers open six connections
const kCoarse = 8;
const kRetryMs = 300;

const client = Math.random().toString(36).slice(2, 12);

export class SquareLoader {
  /**
   * `canvas`: gets the squares. `parameters(coarse)`: those of a request; `colors(level)`: those of colours.
   * `changed()`: something came or failed; `again()`: the window is to be looked at again; `lost()`: the server has
   * forgotten a place.
   */
  constructor({ canvas, parameters, colors, changed, again, lost }) {
    Object.assign(this, { canvas, parameters, colors, changed, again, lost });
    this.view = 0;
    this.colorNumber = 0;
    this.wanted = [];
    this.running = new Map();
    this.stale = false;  // some squares have the colours of before
  }

  isFresh({ level, x, y }) {
    const known = this.canvas.find(level, x, y);
    return known?.coarse === 1 && known.colors === this.colorNumber;
  }

  get idle() {
    return this.running.size === 0 && this.wanted.length === 0;
  }

  /** Squares that are to come. */
  get left() {
    return this.wanted.filter(({ coarse }) => coarse === 1).length + this.running.size;
  }

  /** A new view: these squares of the level are missing, the first one most. What else was wanted is dropped. */
  want(level, missing, place) {
    this.view += 1;
    this.stale = false;
    const tell = (one, coarse) => ({ ...one, coarse, place, view: this.view, key: `${coarse}/${level}/${one.x}/${one.y}`,
      dx: steps(place.x, level, one.x), dy: steps(place.y, level, one.y) });
    const bare = missing.filter(({ x, y }) => !this.canvas.find(level, x, y) && !this.canvas.covered(level, x, y, 3));
    const coarse = bare.map((one) => tell(one, kCoarse));
    const fine = missing.map((one) => tell(one, 1));
    this.wanted = [...coarse, ...fine];
    const keys = new Set(this.wanted.map(({ key }) => key));
    for (const [key, request] of this.running) if (!keys.has(key)) request.abort();
    this.changed();
    // The server learns of all squares at once, so that no lane waits for the next request.
    for (const some of [coarse, fine]) if (some.length > 1) this.begin(some);
    this.fill();
  }

  /** Nothing of what was asked for is wanted any more. */
  abort() {
    this.wanted = [];
    for (const request of this.running.values()) request.abort();
  }

  query({ coarse, view }) {
    const all = this.parameters(coarse);
    all.set("client", client);
    all.set("view", view);
    return all;
  }

  begin(some) {
    const [{ place, level }] = some;
    const all = this.query(some[0]);
    all.set("squares", some.map(({ dx, dy }) => `${dx},${dy}`).join());
    get(`/explore/${place.id}/${level - place.level}/begin?${all}`).catch(() => {});
  }

  fill() {
    while (this.running.size < kRequests) {
      const next = this.wanted.findIndex(({ key }) => !this.running.has(key));
      if (next < 0) return;
      const [one] = this.wanted.splice(next, 1);
      const request = new AbortController();
      this.running.set(one.key, request);
      this.load(one, request.signal).finally(() => {
        this.running.delete(one.key);
        this.changed();
        this.fill();
        if (this.stale && this.idle) this.again();
      });
    }
  }

  async load(one, signal) {
    const { level, x, y, coarse, place, dx, dy } = one;
    const settings = String(this.parameters(1));
    const colors = this.colorNumber;
    const known = this.canvas.find(level, x, y);
    if (known?.coarse < coarse || (known?.coarse === coarse && known.colors === colors)) return;
    const all = this.query(one);
    for (const [name, value] of this.colors(level)) all.set(name, value);
    try {
      const answer = await get(`/explore/${place.id}/${level - place.level}/${dx}/${dy}.png?${all}`, { signal });
      const picture = await createImageBitmap(await answer.blob());
      const now = this.canvas.find(level, x, y);
      if (signal.aborted || settings !== String(this.parameters(1)) || (coarse > 1 && now?.coarse === 1)) return picture.close();
      const range = answer.headers.get("Tessera-Counts")?.split("-").map(Number);
      this.canvas.put({ level, x, y, coarse, colors, picture, range });
      if (colors !== this.colorNumber) this.stale = true;
    } catch (error) {
      if (!isAbort(error)) await this.refused(error);
    }
  }

  async refused(error) {
    if (error.status === 410) return;  // a newer view has asked already
    if (error.status === 429) {
      await new Promise((then) => setTimeout(then, kRetryMs));
      return this.again();
    }
    if (error.status === 404) this.lost();
    say(error instanceof Refused ? error.message : "The server does not answer");
  }
}
