// The picture of a place that is explored: squares of all levels that are there, the best one on top.
import { kSide, offset } from "./squares.js";

const kMaxSquares = 420;
const kAbove = 12;  // levels whose squares are drawn enlarged
const kBelow = 2;   // and shrunken

export class SquareCanvas {
  constructor(map) {
    this.map = map;
    this.canvas = document.createElement("canvas");
    this.canvas.id = "squares";
    map.getContainer().prepend(this.canvas);
    this.levels = new Map();  // level → key → square
    this.count = 0;
    this.uses = 0;
    map.on("move zoom viewreset resize", () => this.wake());
  }

  static key(x, y) {
    return `${x}/${y}`;
  }

  find(level, x, y) {
    return this.levels.get(level)?.get(SquareCanvas.key(x, y));
  }

  /** Whether a square is there that covers this one, up to so many levels above. */
  covered(level, x, y, above) {
    for (let up = 1; up <= above; ++up) {
      if (this.find(level - up, x >> BigInt(up), y >> BigInt(up))?.coarse === 1) return true;
    }
    return false;
  }

  put(square) {
    const { level, x, y } = square;
    const squares = this.levels.get(level) ?? new Map();
    this.levels.set(level, squares);
    const key = SquareCanvas.key(x, y);
    const before = squares.get(key);
    if (!before) this.count += 1;
    before?.picture.close();
    squares.set(key, { ...square, used: ++this.uses });
    this.forget();
    this.wake();
  }

  /** The squares that were not drawn for longest go. */
  forget() {
    if (this.count <= kMaxSquares) return;
    const all = [...this.levels.values()].flatMap((squares) => [...squares].map(([key, one]) => ({ squares, key, one })));
    all.sort((a, b) => a.one.used - b.one.used);
    for (const { squares, key, one } of all.slice(0, kMaxSquares / 4)) {
      one.picture.close();
      squares.delete(key);
      this.count -= 1;
    }
  }

  clear() {
    for (const squares of this.levels.values()) for (const one of squares.values()) one.picture.close();
    this.levels.clear();
    this.count = 0;
    this.wake();
  }

  wake() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  /** `view`: origin of x and of y, the level of the squares that fit, the pixel of the origin, pixels of its squares. */
  draw() {
    const view = this.view?.();
    if (!view) return;
    const { x: width, y: height } = this.map.getSize();
    const ratio = devicePixelRatio;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.imageSmoothingQuality = "high";
    const draw = (level, wanted) => this.drawLevel(context, view, ratio, level, wanted);
    for (let level = view.level - kAbove; level < view.level; ++level) draw(level, () => true);
    draw(view.level, ({ coarse }) => coarse > 1);
    for (let level = view.level + kBelow; level > view.level; --level) draw(level, ({ coarse }) => coarse === 1);
    draw(view.level, ({ coarse }) => coarse === 1);
  }

  drawLevel(context, view, ratio, level, wanted) {
    const side = view.side * 2 ** (view.x.level - level) * ratio;
    for (const one of this.levels.get(level)?.values() ?? []) {
      if (!wanted(one)) continue;
      const left = (view.left + offset(view.x, level, one.x) * view.side) * ratio;
      const top = (view.top + offset(view.y, level, one.y) * view.side) * ratio;
      if (left > this.canvas.width || top > this.canvas.height || left + side < 0 || top + side < 0) continue;
      one.used = ++this.uses;
      // Whole pixels of the screen, so that neighbours meet.
      const [x0, y0] = [Math.round(left), Math.round(top)];
      context.imageSmoothingEnabled = side < 4 * kSide || one.coarse > 1;
      context.drawImage(one.picture, x0, y0, Math.round(left + side) - x0, Math.round(top + side) - y0);
    }
  }
}
