// The place that is explored: where the map's numbers begin, and the places of the server from which squares are asked for.
import { get, Refused } from "./api.js";
import { point } from "./map.js";
import { corner, kSide, offset, shifted, steps } from "./squares.js";

const kFarZoom = 12;        // from the origin of the map
const kFarSquares = 2 ** 20;
const kPlainLevels = 20;    // below a place, with plain arithmetic
const kDeepLevels = 3;      // with perturbation, whose reference orbit is best near the view
const kPlainSteps = 2 ** 20;
const kDeepSteps = 16;
const kMaxSteps = 2n ** 27n;  // squares that the server steps
const kMaxPlaces = 200;

export class Places {
  constructor(map) {
    this.map = map;
  }

  /** Begins anew at a place of the server, whose squares of level 0 are as wide as its `width`. */
  start(place) {
    this.root = place;
    this.known = [{ id: place.id, level: 0, x: { level: 0, at: 0n }, y: { level: 0, at: 0n } }];
    this.origin = { x: { level: 0, at: 0n }, y: { level: 0, at: 0n } };
  }

  /** The level of squares whose pixels are those of the screen. */
  get level() {
    return this.origin.x.level + Math.round(this.map.getZoom() + Math.log2(devicePixelRatio) - 0.1);
  }

  /** Levels from the root to what is shown, with fractions. */
  get zoom() {
    return this.origin.x.level + this.map.getZoom();
  }

  /** Bits of the side of a square behind the point. */
  bits(level) {
    return level - this.root.log2_width;
  }

  /** The middle of the window, in squares of the origin's level from the origin. */
  center() {
    const { lng, lat } = this.map.getCenter();
    return [lng / kSide, lat / kSide];
  }

  /** Beyond the origin's neighbourhood floats would lose pixels: the map gets another origin. */
  reorigin() {
    const zoom = this.map.getZoom();
    const [cx, cy] = this.center();
    if (Math.abs(zoom) < kFarZoom && Math.max(Math.abs(cx), Math.abs(cy)) < kFarSquares) return;
    const level = this.origin.x.level + Math.round(zoom);
    const next = (origin, at) => ({ level, at: corner(origin, level, at) });
    const before = this.origin;
    const origin = { x: next(before.x, cx), y: next(before.y, cy) };
    const rest = (axis, at) => (at - offset(before[axis], level, origin[axis].at)) * 2 ** (level - before[axis].level);
    const [x, y] = [rest("x", cx), rest("y", cy)];
    this.origin = origin;
    this.map.setView(point(x * kSide, y * kSide), zoom - (level - before.x.level), { animate: false });
  }

  /** Only the root is known: the server has forgotten the others. */
  forget() {
    this.known.splice(0, this.known.length - 1);
  }

  /** A place of the server from which the view can be asked for. */
  async at(level, deep) {
    const [cx, cy] = this.center();
    const [x, y] = [corner(this.origin.x, level, cx), corner(this.origin.y, level, cy)];
    return this.known.find((place) => reaches(place, level, x, y, deep)) ?? await this.add(level, x, y);
  }

  /** By way of places between, since a step of the server is at most 24 levels. */
  async add(level, x, y) {
    let from = this.known.filter((place) => place.level <= level || place.id === this.root.id)
      .sort((a, b) => Math.abs(a.level - level) - Math.abs(b.level - level))
      .find((place) => isNear(place, level, x, y));
    if (!from) throw new Refused(404, "the place is too far away");
    while (Math.abs(level - from.level) > kPlainLevels) {
      const between = from.level + Math.sign(level - from.level) * kPlainLevels;
      from = await this.stepTo(from, between, shifted(x, between - level), shifted(y, between - level));
    }
    return from.level === level && from.x.at === x && from.y.at === y ? from : await this.stepTo(from, level, x, y);
  }

  async stepTo(from, level, x, y) {
    const [dx, dy] = [steps(from.x, level, x), steps(from.y, level, y)];
    const all = new URLSearchParams({ place: from.id, level: level - from.level, x: dx, y: dy });
    const { id } = await (await get(`/api/places?${all}`, { method: "POST" })).json();
    const place = { id, level, x: { level, at: x }, y: { level, at: y } };
    if (!this.known.includes(from)) return place;  // the map has begun anew
    this.known.unshift(place);
    this.known.splice(kMaxPlaces, this.known.length - kMaxPlaces - 1);  // the root stays
    return place;
  }
}

const far = (place, level, x, y) => [steps(place.x, level, x), steps(place.y, level, y)];

/** Whether squares of the level near the middle can be asked for from this place. */
function reaches(place, level, x, y, deep) {
  const below = level - place.level;
  if (below > (deep ? kDeepLevels : kPlainLevels) || below < -kPlainLevels) return false;
  const most = BigInt(deep ? kDeepSteps : kPlainSteps);
  return far(place, level, x, y).every((step) => step != null && step <= most && -step <= most);
}

/** Whether the server can step there. */
function isNear(place, level, x, y) {
  const below = BigInt(Math.max(0, level - place.level - kPlainLevels));
  return far(place, level, x, y).every((step) => step != null && step >> below < kMaxSteps && -step >> below < kMaxSteps);
}
