// The grid of squares without end. A square has a level, a column and a row, whole numbers of any size (BigInt), counted
// from the place where the page began. An origin is a corner of squares near the view, so that floats suffice from there.

export const kSide = 256;

/** Times 2^by, rounded down. */
export const shifted = (value, by) => by >= 0 ? value << BigInt(by) : value >> BigInt(-by);
const whole = (value) => BigInt(Math.floor(value));

/** Where the left top corner of a square is, in squares of the origin's level from the origin. */
export function offset(origin, level, x) {
  const below = level - origin.level;
  if (below <= 0) return Number(shifted(x, -below) - origin.at);
  return Number(x - shifted(origin.at, below)) / 2 ** below;
}

/** The square of a level that holds a point, which is in squares of the origin's level from the origin. */
export function square(origin, level, at) {
  const below = level - origin.level;
  if (below >= 0) return shifted(origin.at, below) + whole(at * 2 ** below);
  return shifted(origin.at + whole(at), below);
}

/** The corner of that level that is nearest to the point. */
export const corner = (origin, level, at) => square(origin, level, at + 2 ** (origin.level - level) / 2);

/** Steps from a place to a square in squares of its level; null where the place is between such squares. */
export function steps(place, level, x) {
  const below = level - place.level;
  if (below < 0 && shifted(shifted(place.at, below), -below) !== place.at) return null;
  return x - shifted(place.at, below);
}

/** The squares of a level that a window of `size` shows, those nearest to the point `at` first. `view`: as of SquareCanvas. */
export function shown(view, level, size, at) {
  const range = (origin, from, length) => [
    square(origin, level, -from / view.side), square(origin, level, (length - from - 1e-6) / view.side)];
  const [left, right] = range(view.x, view.left, size.width);
  const [top, bottom] = range(view.y, view.top, size.height);
  const half = view.side * 2 ** (view.x.level - level) / 2;
  const all = [];
  for (let y = top; y <= bottom; ++y) {
    for (let x = left; x <= right; ++x) {
      const dx = view.left + offset(view.x, level, x) * view.side + half - at.x;
      const dy = view.top + offset(view.y, level, y) * view.side + half - at.y;
      all.push({ level, x, y, distance: dx * dx + dy * dy });
    }
  }
  return all.sort((a, b) => a.distance - b.distance);
}

/** A decimal such as "12e-345" times a number, with 6 digits. */
export function times(decimal, factor) {
  const [, mantissa, exponent = "0"] = /^([^e]*)(?:e(.*))?$/i.exec(decimal);
  const value = Number(mantissa) * factor;
  if (value === 0) return "0";
  const power = Math.floor(Math.log10(Math.abs(value)));
  const digits = Number((value / 10 ** power).toPrecision(6));
  const all = Number(exponent) + power;
  return Math.abs(all) < 5 ? String(Number(`${digits}e${all}`)) : `${digits}e${all}`;
}

/** log2 of the quotient of two decimals. */
export function log2Quotient(a, b) {
  const parts = (decimal) => {
    const [, mantissa, exponent = "0"] = /^([^e]*)(?:e(.*))?$/i.exec(decimal);
    return Math.log2(Number(mantissa)) + Number(exponent) * Math.log2(10);
  };
  return parts(a) - parts(b);
}
