// Colours of numbers and of names: one scale for the map of tiles, the run and the reports.

/** Even in lightness, dark to bright (a coarse "inferno"). */
const kHeat = [[20, 11, 53], [87, 16, 110], [149, 38, 103], [206, 68, 70], [243, 120, 25], [251, 184, 28], [246, 240, 140]];

const mixed = (a, b, t) => a.map((value, i) => Math.round(value + (b[i] - value) * t));

/** [r, g, b] of a share from 0 to 1. */
export function heat(share) {
  const at = Math.min(Math.max(share, 0), 1) * (kHeat.length - 1);
  const i = Math.min(Math.floor(at), kHeat.length - 2);
  return mixed(kHeat[i], kHeat[i + 1], at - i);
}

/** The colours of Okabe and Ito first, which any eye tells apart; then round the circle of hues. */
const kNamed = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [213, 94, 0], [86, 180, 233], [204, 121, 167], [150, 150, 150]];

export function named(i) {
  if (i < kNamed.length) return kNamed[i];
  const hue = (i * 137.508) % 360 / 60;
  const part = (k) => Math.round(70 + 150 * Math.min(1, Math.max(0, Math.abs(((hue + k) % 6) - 3) - 1)));
  return [part(0), part(4), part(2)];
}

export const css = (rgb) => `rgb(${rgb.join(" ")})`;
