// The density of colours where nobody has chosen one: deep counts are high and close together, so that the usual density
// would show one colour.
import { kPlain } from "./look.js";

const kDefaultBits = 24;
const kDenseBits = 38;      // squares with sides above 2^-38 have the colours of `tessera color`
const kWantedCycles = 1.6;  // of the palette, from the low counts of the window to the high ones
const kMaxDoublings = 12;
const kSlack = 0.8;         // of a doubling, so that the colours stay while the window moves

const quantile = (values, share) => values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];

export class Density {
  constructor() {
    this.doublings = null;  // of the usual density; null = not known yet
  }

  /** A guess from the depth, until counts are known. `bits`: of a square's side behind the point. */
  length(bits) {
    if (bits < kDenseBits) return kPlain.length;
    const guess = Math.floor(1.5 * Math.log2(bits / kDefaultBits));
    return kPlain.length * 2 ** (this.doublings ?? guess);
  }

  /** `ranges`: [low, high] of the counts of squares that are shown. Whether the density has changed. */
  learn(ranges, bits) {
    if (!ranges.length || bits < kDenseBits) return false;
    const low = quantile(ranges.map(([from]) => from), 0.25);
    const high = quantile(ranges.map(([, to]) => to), 0.75);
    const octaves = Math.log2(Math.max(high, low + 1) / Math.max(low, 1));
    const exact = Math.max(0, Math.min(kMaxDoublings, Math.log2(kWantedCycles / octaves / kPlain.length)));
    const before = Math.log2(this.length(bits) / kPlain.length);
    const near = Math.abs(exact - before) < kSlack;
    this.doublings = near ? before : Math.round(exact);
    return this.doublings !== before;
  }
}
