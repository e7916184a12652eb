// Exact statistics of a rectangle: numbers, a histogram, the means of its rows and columns.
import { getJson, isAbort } from "./api.js";
import { svg } from "./charts.js";
import { by, count, debounce, make } from "./dom.js";

const kPause = 250;
const kWidth = 280;
const kHeight = 74;

const short = (value) => (typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value ?? ""));

function figure(title, ends, picture) {
  return make("figure", {}, make("figcaption", {}, make("span", {}, title), make("span", {}, ends)), picture);
}

function picture(...parts) {
  return svg("svg", { viewBox: `0 0 ${kWidth} ${kHeight}`, preserveAspectRatio: "none", role: "img" }, ...parts);
}

function histogram({ edges, counts }) {
  const most = Math.max(...counts, 1);
  const step = kWidth / counts.length;
  const bars = counts.map((value, i) => svg("rect", {
    class: "area", x: i * step, width: step * 0.9, y: kHeight * (1 - value / most), height: kHeight * value / most,
  }));
  return figure("Histogram", `${short(edges[0])} … ${short(edges.at(-1))}`, picture(...bars));
}

function profile(title, { means, together }) {
  const known = means.filter((value) => value != null);
  if (known.length < 2) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const x = (i) => i / (means.length - 1) * kWidth;
  const y = (value) => kHeight - 2 - (high > low ? (value - low) / (high - low) : 0.5) * (kHeight - 4);
  let path = "";
  means.forEach((value, i) => { if (value != null) path += `${means[i - 1] == null ? "M" : "L"}${x(i).toFixed(2)} ${y(value).toFixed(2)}`; });
  const what = together > 1 ? `${title}, ${count(together)} together` : title;
  return figure(what, `${short(low)} … ${short(high)}`, picture(svg("path", { class: "line", d: path })));
}

/** Means along a further dimension, within the least and the greatest. */
function along(title, { means, least = means, greatest = means }) {
  const known = [...least, ...greatest].filter((value) => value != null);
  if (means.length < 2 || known.length < 2) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const place = (value, i) => {
    const y = kHeight - 2 - (high > low ? (value - low) / (high - low) : 0.5) * (kHeight - 4);
    return `${(i / (means.length - 1) * kWidth).toFixed(2)} ${y.toFixed(2)}`;
  };
  const path = (values) => values.map((value, i) => (value == null ? "" : `${values[i - 1] == null ? "M" : "L"}${place(value, i)}`)).join("");
  return figure(`Through ${title}`, `${short(low)} … ${short(high)}`, picture(
    svg("path", { class: "line soft", d: path(least) }), svg("path", { class: "line soft", d: path(greatest) }), svg("path", { class: "line", d: path(means) })));
}

export class Statistics {
  /** `urlOf(rectangle)`: the address of its statistics; `throughOf(rectangle)`: of those along another dimension, and its name; null = none. */
  constructor(urlOf, throughOf) {
    this.urlOf = urlOf;
    this.throughOf = throughOf;
    this.rectangle = null;
    this.ask = debounce(kPause, () => this.fetch());
  }

  show(rectangle) {
    this.rectangle = rectangle;
    this.request?.abort();
    if (!rectangle) return this.print(null);
    by("statistics").open = true;
    by("statistics-hint").textContent = `${count(rectangle.width)} × ${count(rectangle.height)}`;
    return this.ask();
  }

  /** The plane is another one. */
  again() {
    if (this.rectangle) this.ask();
  }

  async fetch() {
    if (!this.rectangle) return;
    this.request?.abort();
    this.request = new AbortController();
    by("numbers").classList.add("soft");
    try {
      const { signal } = this.request;
      this.print(await getJson(this.urlOf(this.rectangle), { signal }));
      const further = this.throughOf(this.rectangle);
      const figure = further && along(further.name, await getJson(further.url, { signal }));
      if (figure) by("charts").append(figure);
    } catch (error) {
      if (!isAbort(error)) by("numbers").replaceChildren(make("dd", { class: "soft" }, error.message));
    }
  }

  print(all) {
    by("numbers").classList.remove("soft");
    if (!all) {
      by("statistics-hint").textContent = "";
      by("numbers").replaceChildren();
      return by("charts").replaceChildren();
    }
    const rows = [
      ["Elements", count(all.elements)], ["Missing", all.missing ? count(all.missing) : null], ["Mean", all.mean], ["Std", all.std],
      ["Least", all.least], ["2 %", all.p2], ["Median", all.median], ["98 %", all.p98], ["Greatest", all.greatest],
    ].filter(([, value]) => value != null);
    by("numbers").replaceChildren(...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]));
    const charts = [all.histogram && histogram(all.histogram), all.columns && profile("Means of columns", all.columns), all.rows && profile("Means of rows", all.rows)];
    return by("charts").replaceChildren(...charts.filter(Boolean));
  }
}
