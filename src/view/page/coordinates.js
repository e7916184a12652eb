// Coordinates of a dimension as people write them: numbers with units, or dates.

const kDigits = 15;  // those of a f64 that a decimal keeps
const kUnits = { nanosecond: 1e-6, microsecond: 1e-3, millisecond: 1, second: 1e3, minute: 6e4, hour: 3.6e6, day: 8.64e7 };
const kCalendars = ["", "standard", "gregorian", "proleptic_gregorian"];

/** "hours since 1900-01-01 00:00" → { step in ms, epoch in ms }; null for anything else. */
function timeOf({ units = "", calendar = "" }) {
  const match = /^\s*(\w+?)s?\s+since\s+(\d{1,4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?)?\s*(?:Z|UTC|\+?0?0:?00|0)?\s*$/i.exec(units);
  if (!match || !kCalendars.includes(calendar.toLowerCase())) return null;
  const step = kUnits[match[1].toLowerCase()];
  const [year, month, day, hour = 0, minute = 0, second = 0] = match.slice(2).map((text) => (text ? Number(text) : undefined));
  // Before the calendar changed, days are counted in another way.
  if (!step || year < 1583) return null;
  return { step, epoch: Date.UTC(year, month - 1, day, hour, minute) + second * 1e3 };
}

export class Coordinates {
  constructor({ coordinates = null, step = 1, attributes = {} }) {
    Object.assign(this, { values: coordinates, step, units: attributes.units ?? "", time: timeOf(attributes) });
  }

  /** The coordinate as text; "" if there is none. */
  text(value) {
    if (value == null) return "";
    const number = Number.isInteger(value) || typeof value === "string" ? value : Number(value.toPrecision(kDigits));
    const plain = `${number}${this.units ? ` ${this.units}` : ""}`;
    if (!this.time) return plain;
    const date = new Date(Math.round(this.time.epoch + value * this.time.step));
    if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1583) return plain;
    const iso = date.toISOString().replace("T", " ").replace(/\.000Z$/, "").replace(/Z$/, "");
    return iso.replace(/:00$/, "").replace(/ 00:00$/, "");
  }

  /** Of an index. The answer of the server has every step-th coordinate of a long dimension. */
  at(index) {
    if (!this.values) return "";
    const known = this.values[Math.floor(index / this.step)];
    return this.step > 1 && index % this.step ? `about ${this.text(known)}` : this.text(known);
  }
}
