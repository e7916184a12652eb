// The map of an image that does not exist yet. Squares are rendered when they are looked at.
import { attempt, get, getJson, isAbort, Refused, say } from "./api.js";
import { SquareCanvas } from "./canvas.js";
import { Density } from "./density.js";
import { by, count, debounce } from "./dom.js";
import { colorParameters, kPlain, linkParameters } from "./look.js";
import { point } from "./map.js";
import { Motion } from "./motion.js";
import { Places } from "./places.js";
import { Poster } from "./poster.js";
import { moreValues } from "./readout.js";
import { SquareLoader } from "./square_loader.js";
import { corner, kSide, log2Quotient, offset, shown, square, steps, times } from "./squares.js";

const kPauseMs = 60;        // between a move and its requests, and between two rounds of them
const kPatienceMs = 400;    // before it is said that something is missing
const kLinkMs = 350;
const kPointMs = 60;
const kPointLevels = 16;  // from a square to 1/256 of its pixels, to which links are exact
const kSameZoom = 1e-9;

/** Calls `work` once, `ms` after the first of several calls. */
function throttle(ms, work) {
  let timer = null;
  return () => {
    timer ??= setTimeout(() => {
      timer = null;
      work();
    }, ms);
  };
}

export class ExploredMap {
  constructor({ map, look, readout, facts }) {
    Object.assign(this, { map, look, readout, facts });
    this.formula = facts.formula;
    this.iterations = null;  // null: as many as usual
    this.canvas = new SquareCanvas(map);
    this.canvas.view = () => this.view();
    this.places = new Places(map);
    this.motion = new Motion(map, this.places);
    this.density = new Density();
    this.soon = throttle(kPauseMs, () => attempt("No picture", () => this.lookUp()));
    this.remember = debounce(kLinkMs, () => attempt("No link", () => this.writeLink()));
    this.poster = new Poster(facts.may_render, this.remember);
    this.loader = new SquareLoader({
      canvas: this.canvas, parameters: (coarse) => this.parameters(coarse), colors: (level) => this.colors(level),
      changed: () => this.progress(), again: this.soon, lost: () => this.places.forget(),
    });
  }

  /** Begins anew at a place of the server, with the texts of its center and width. */
  start(place = this.facts.place, given = this.facts.given) {
    this.given = given;
    this.places.start(place);
    this.density = new Density();
    this.loader.abort();
    this.canvas.clear();
    this.motion.start();
    this.moved();
  }

  get level() {
    return this.places.level;
  }

  deep(level) {
    return this.places.bits(level) > this.facts.plain_bits;
  }

  usualIterations(level) {
    if (this.facts.iterations) return this.facts.iterations;
    const { first, of_level: more } = this.facts.usual_iterations;
    const usual = first + more * Math.max(0, this.places.bits(level));
    return Math.max(this.facts.least_iterations, usual);
  }

  /** What the canvas draws. */
  view() {
    if (!this.places.origin) return null;
    const corner = this.map.latLngToContainerPoint(point(0, 0));
    return { ...this.places.origin, level: this.level, left: corner.x, top: corner.y, side: kSide * 2 ** this.map.getZoom() };
  }

  /** The squares that the window shows, those nearest to the pointer first. */
  shown() {
    const { x: width, y: height } = this.map.getSize();
    return shown(this.view(), this.level, { width, height }, this.pointer ?? { x: width / 2, y: height / 2 });
  }

  moved() {
    this.places.reorigin();
    this.print();
    this.soon();
    this.remember();
  }

  async lookUp() {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    try {
      const { level, places: { root } } = this;
      const missing = this.shown().filter((one) => !this.loader.isFresh(one));
      const place = missing.length ? await this.places.at(level, this.deep(level)) : null;
      if (root === this.places.root) this.loader.want(level, missing, place);
    } finally {
      this.asking = false;
      if (this.again) {
        this.again = false;
        this.soon();
      }
    }
  }

  parameters(coarse) {
    const all = new URLSearchParams();
    if (coarse > 1) all.set("coarse", coarse);
    if (this.formula !== this.facts.formula) all.set("formula", this.formula);
    if (this.iterations) all.set("iterations", this.iterations);
    return all;
  }

  /** The colours of a square; `parameters`: of what the density is to be a part. */
  colors(level, parameters = colorParameters) {
    const all = parameters(this.look);
    const length = this.density.length(this.places.bits(level));
    if (this.look.length === kPlain.length && length !== kPlain.length) all.set("length", length);
    return all;
  }

  /** The counts of most squares of the window decide about the density. What is on its way arrives first. */
  learnDensity() {
    const { level } = this;
    const all = this.shown();
    const ranges = all.map(({ x, y }) => this.canvas.find(level, x, y)?.range).filter(Boolean);
    if (2 * ranges.length < all.length || !this.density.learn(ranges, this.places.bits(level))) return;
    this.loader.colorNumber += 1;
    this.loader.stale = true;
    if (this.loader.idle) this.soon();
    this.remember();
  }

  /** Whether all squares of the window are there. */
  get settled() {
    return !this.asking && this.loader.idle && !this.canvas.frame && !this.motion.moves &&
      this.shown().every((one) => this.loader.isFresh(one));
  }

  progress() {
    this.learnDensity();
    const { left } = this.loader;
    if (!left) {
      clearTimeout(this.waiting);
      this.waiting = null;
      by("progress").hidden = true;
      return;
    }
    this.waiting ??= setTimeout(() => { by("progress").hidden = false; }, kPatienceMs);
    by("progress-bar").value = 1 - left / Math.max(left, this.shown().length);
    by("progress-text").textContent = `${count(left)} squares to come`;
  }

  recolor() {
    this.loader.colorNumber += 1;
    this.soon();
    this.remember();
  }

  /** Another formula or another number of iterations: all squares are others. */
  renew(some) {
    Object.assign(this, some);
    this.loader.abort();
    this.density = new Density();
    this.canvas.clear();
    this.moved();
  }

  print() {
    const { level } = this;
    by("facts").textContent = `${this.formula} · ${count(this.iterations ?? this.usualIterations(level))} iterations${this.deep(level) ? " · perturbation" : ""}`;
    by("scale").textContent = this.magnification();
    by("iterations").placeholder = String(this.usualIterations(level));
  }

  zoomOfRoot() {
    return this.places.zoom;
  }

  zoomNow(levels) {
    this.motion.zoomNow(levels);
  }

  /** How much larger than an image of width 4. */
  magnification() {
    const log10 = (log2Quotient("4", this.places.root.width) + this.places.zoom - this.motion.wholeZoom) * Math.log10(2);
    if (log10 < 4) return `${Number((10 ** log10).toPrecision(3))} ×`;
    const power = Math.floor(log10 + 0.02);
    return `${Math.max(1, 10 ** (log10 - power)).toFixed(1)}e${power} ×`;
  }

  /** The width of the window in the plane, as a decimal: as it was given until the zoom is another one. */
  windowWidth() {
    if (Math.abs(this.places.zoom - this.motion.wholeZoom) < kSameZoom) return this.given.width;
    const { zoom, root } = this.places;
    const tens = Math.floor(zoom * Math.log10(2));
    const rest = 2 ** (zoom - tens / Math.log10(2));
    const [, mantissa, exponent = "0"] = /^([^e]*)(?:e(.*))?$/i.exec(root.width);
    return times(`${mantissa}e${Number(exponent) - tens}`, this.map.getSize().x / kSide / rest);
  }

  /** The pixel of the screen's level that holds a point of the map. */
  async pixel(latlng, signal) {
    const { level } = this;
    const place = await this.places.at(level, this.deep(level));
    const down = level + Math.log2(kSide);
    const pixelOf = (axis, at) => steps(place[axis], down, square(this.places.origin[axis], down, at / kSide));
    const all = this.parameters(1);
    all.set("x", pixelOf("x", latlng.lng));
    all.set("y", pixelOf("y", latlng.lat));
    return getJson(`/explore/${place.id}/${level - place.level}/pixel?${all}`, { signal });
  }

  async showPoint(latlng) {
    this.pointing?.abort();
    this.pointing = new AbortController();
    try {
      const pixel = await this.pixel(latlng, this.pointing.signal);
      this.readout.pixel = pixel;
      this.readout.print([
        ["Re", pixel.re, "digits"], ["Im", pixel.im, "digits"],
        ["Count", pixel.inside ? `${count(pixel.count)} (inside)` : pixel.count == null ? null : count(pixel.count)],
        ...moreValues(pixel),
        ["Made by", pixel.rank > 0 ? `rank ${pixel.rank}` : null],
        ["Arithmetic", pixel.perturbation ? "perturbation" : "plain"],
      ].filter(([, value]) => value != null));
      by("copy-point").disabled = false;
    } catch (error) {
      if (!isAbort(error)) say(error instanceof Refused ? error.message : "The server does not answer");
    }
  }

  /** The middle of the window with all the digits that the depth needs; as it was given until the map is moved. */
  async middle() {
    const { level } = this;
    const fine = level + kPointLevels;
    const { origin } = this.places;
    const [cx, cy] = this.places.center();
    const [x, y] = [corner(origin.x, fine, cx), corner(origin.y, fine, cy)];
    if (x === 0n && y === 0n) return this.given.center;
    const place = await this.places.at(level, this.deep(level));
    const all = new URLSearchParams({ x: steps(place.x, fine, x), y: steps(place.y, fine, y) });
    const { re, im } = await getJson(`/explore/${place.id}/${level - place.level}/point?${all}`);
    return `${re},${im}`;
  }

  /** The middle of the window and its width, and what makes the picture that is there. */
  async here() {
    const all = new URLSearchParams({ center: await this.middle(), width: this.windowWidth() });
    if (this.formula !== this.facts.formula) all.set("formula", this.formula);
    if (this.iterations) all.set("iterations", this.iterations);
    return all;
  }

  async writeLink() {
    const here = await this.here();
    const link = new URLSearchParams([...here, ...linkParameters(this.look)]);
    this.written = "#" + link.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
    history.replaceState(null, "", this.written);
    const poster = new URLSearchParams([...here, ...this.colors(this.level, linkParameters)]);
    if (!this.iterations) poster.set("iterations", this.usualIterations(this.level));
    this.poster.show(poster);
  }

  async open(hash) {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const [center, width] = [given.get("center"), given.get("width")];
    const place = center && width ? await this.placeOf(center, width) : [];
    this.formula = given.get("formula") ?? this.facts.formula;
    this.iterations = Number(given.get("iterations")) || null;
    by("iterations").value = this.iterations ?? "";
    this.start(...place);
  }

  /** As start() takes it. */
  async placeOf(center, width) {
    const all = new URLSearchParams({ center, width });
    return [await (await get(`/api/places?${all}`, { method: "POST" })).json(), { center, width }];
  }

  /** To a place with so many iterations at least. */
  async goTo(center, width, iterations) {
    this.start(...await this.placeOf(center, width));
    if (iterations <= (this.iterations ?? this.usualIterations(this.level))) return;
    by("iterations").value = iterations;
    this.renew({ iterations });
  }

  listenToPointer() {
    const container = this.map.getContainer();
    this.motion.listen(container);
    container.addEventListener("pointermove", (event) => { this.pointer = this.map.mouseEventToContainerPoint(event); });
    container.addEventListener("pointerleave", () => { this.pointer = null; });
    const show = debounce(kPointMs, (latlng) => this.showPoint(latlng));
    this.map.on("mousemove click", ({ latlng }) => show(latlng));
    this.map.on("moveend resize", () => this.moved());
    this.map.on("move", () => this.soon());
  }
}
