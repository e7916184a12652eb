// Small charts in SVG, from plain numbers: the same for the page of a run and for reports.
import { make, seconds } from "./dom.js";
import { css, heat, named } from "./scales.js";

const kSvg = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A colour for each stage of a run; what waits is pale. */
const kStageColors = {
  open: [150, 150, 150], plan: [204, 121, 167], compute: [0, 114, 178], encode: [0, 158, 115], send: [213, 94, 0],
  wait: [205, 205, 205], write: [230, 159, 0], color: [86, 180, 233], colour: [86, 180, 233], read: [0, 158, 115], reduce: [0, 114, 178], map: [0, 114, 178],
};

export const stageColor = (stage) => css(kStageColors[stage] ?? named(6));

export function legend(entries) {
  return make("p", { class: "legend" }, ...entries.map(([color, text]) => {
    const swatch = make("i");
    swatch.style.background = color;
    return make("span", {}, swatch, text);
  }));
}

/** Nice ends for an axis of time or numbers: about `steps` marks. */
function marks(most, steps) {
  const rough = most / steps;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((k) => k * power).find((value) => value >= rough) ?? power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
}

function timeAxis(most, left, width, y) {
  return marks(most, kMarks).map((at) => svg("g", {},
    svg("line", { class: "grid", x1: left + at / most * width, x2: left + at / most * width, y1: 0, y2: y }),
    svg("text", { class: "axis", x: left + at / most * width, y: y + 14, "text-anchor": at === 0 ? "start" : "middle" }, at ? seconds(at) : "0")));
}

/** On a phone, charts are as wide as the window, with fewer marks. */
const kNarrow = matchMedia("(max-width: 640px)").matches;
const kWidth = kNarrow ? 360 : 960;
const kLabel = kNarrow ? 88 : 132;
const kLetters = kNarrow ? 12 : 19;
const kMarks = kNarrow ? 3 : 6;
const label = (name) => cut(name.length > kLetters ? name.replace(/^rank /, "") : name, kLetters);

/** Rows of stacked bars. `rows`: [{ name, parts: [{ name, value }] }]; all have one scale. */
export function bars(rows, format = seconds) {
  const most = Math.max(...rows.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)), 1e-12);
  const step = 24;
  const width = kWidth - kLabel - 70;
  const chart = svg("svg", { viewBox: `0 0 ${kWidth} ${rows.length * step}`, role: "img" });
  rows.forEach(({ name, parts }, row) => {
    let x = kLabel;
    const y = row * step;
    chart.append(svg("text", { class: "label", x: kLabel - 10, y: y + 16, "text-anchor": "end" }, label(name)));
    for (const part of parts) {
      if (!(part.value > 0)) continue;
      const long = part.value / most * width;
      chart.append(svg("rect", { x, y: y + 4, width: Math.max(long - 0.6, 0.4), height: step - 8, fill: stageColor(part.name) },
        svg("title", {}, `${name}: ${part.name} ${format(part.value)}`)));
      x += long;
    }
    chart.append(svg("text", { class: "axis", x: x + 8, y: y + 16 }, format(parts.reduce((sum, { value }) => sum + value, 0))));
  });
  return chart;
}

const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** `lanes`: [{ name, spans: [[stage, item, start_s, end_s], ...] }]. */
export function timeline(lanes, wall, itemName) {
  const step = Math.max(5, Math.min(20, Math.floor(640 / Math.max(1, lanes.length))));
  const width = kWidth - kLabel - 10;
  const height = lanes.length * step;
  const chart = svg("svg", { viewBox: `0 0 ${kWidth} ${height + 20}`, role: "img" }, ...timeAxis(wall, kLabel, width, height));
  lanes.forEach(({ name, spans }, row) => {
    const y = row * step;
    if (step >= 11 || row % Math.ceil(12 / step) === 0) {
      chart.append(svg("text", { class: "label", x: kLabel - 10, y: y + step / 2 + 4, "text-anchor": "end" }, label(name)));
    }
    for (const [stage, item, start, end] of spans) {
      const what = item >= 0 ? `${stage}, ${itemName} ${item}` : stage;
      chart.append(svg("rect", { x: kLabel + start / wall * width, y: y + 1, width: Math.max((end - start) / wall * width, 0.35),
        height: step - 2, fill: stageColor(stage) }, svg("title", {}, `${name}: ${what}, ${seconds(end - start)} from ${seconds(start)}`)));
    }
  });
  return chart;
}

/** A line over time. `points`: [[seconds, value], ...]; the axis begins at 0. */
export function line(points, format) {
  const [width, height] = [kWidth - kLabel - 10, 120];
  const last = Math.max(points.at(-1)?.[0] ?? 0, 1e-9);
  const most = Math.max(...points.map(([, value]) => value), 1e-12) * 1.08;
  const at = ([time, value]) => `${(kLabel + time / last * width).toFixed(1)},${(height - value / most * height).toFixed(1)}`;
  const path = points.map(at).join(" ");
  const chart = svg("svg", { viewBox: `0 -6 ${kWidth} ${height + 28}`, role: "img" }, ...timeAxis(last, kLabel, width, height));
  for (const value of marks(most, 3)) {
    const y = height - value / most * height;
    chart.append(svg("line", { class: "grid", x1: kLabel, x2: kLabel + width, y1: y, y2: y }),
      svg("text", { class: "axis", x: kLabel - 10, y: y + 4, "text-anchor": "end" }, format(value)));
  }
  if (points.length) {
    chart.append(svg("polygon", { class: "area", points: `${at([points[0][0], 0])} ${path} ${at([last, 0])}` }),
      svg("polyline", { class: "line", points: path }));
  }
  return chart;
}

/** On paper a chart has no style sheet of a page. */
const kPaper = `text { font: 12px sans-serif; fill: #1a1c20 } .axis { font-size: 11px; fill: #5f646d } .grid { stroke: #ddd }
.line { fill: none; stroke: #2458c6; stroke-width: 1.6 } .area { fill: #2458c6; opacity: .14 }`;

/** Saves a chart as a file of its own. */
export function saveChart(chart, title) {
  const copy = chart.cloneNode(true);
  const [, , width, height] = chart.getAttribute("viewBox").split(" ");
  for (const [name, value] of Object.entries({ xmlns: kSvg, width, height })) copy.setAttribute(name, value);
  copy.prepend(svg("style", {}, kPaper));
  const url = URL.createObjectURL(new Blob([copy.outerHTML], { type: "image/svg+xml" }));
  make("a", { href: url, download: `${title.toLowerCase().replaceAll(" ", "-")}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** The share of a value above 0 between the least and the most, as `measure` counts. */
export function heatScale(values, measure) {
  const known = values.filter((value) => value > 0).map(measure);
  const low = Math.min(...known);
  const width = Math.max(...known) - low;
  return (value) => width > 0 ? (measure(value) - low) / width : 0.5;
}

export function heatLegend(values) {
  const known = values.filter((value) => value > 0);
  const bar = make("b", { class: "heat" });
  bar.style.backgroundImage = `linear-gradient(90deg, ${[0, .25, .5, .75, 1].map((at) => css(heat(at))).join(", ")})`;
  return [make("span", {}, seconds(Math.min(...known))), bar, make("span", {}, seconds(Math.max(...known)))];
}

/** A picture with one pixel for each tile that has a colour; color(i) is [r, g, b] or null. */
export function tilePicture(canvas, columns, rows, color) {
  Object.assign(canvas, { width: columns, height: rows });
  const context = canvas.getContext("2d");
  const picture = context.createImageData(columns, rows);
  for (let i = 0; i < columns * rows; ++i) {
    const rgb = color(i);
    if (rgb) picture.data.set([...rgb, 255], 4 * i);
  }
  context.putImageData(picture, 0, 0);
  return canvas;
}

export const kStored = [0, 158, 115];

/** Ways to colour the tiles: color(i) of a tile that is there, and the entries of a legend. */
export const kTileKinds = {
  state: () => ({ color: () => kStored, legend: [entry(kStored, "stored"), make("span", { class: "hatched" }, make("i"), "not yet")] }),
  rank(tiles) {
    const ranks = [...new Set(tiles.rank.filter((rank) => rank >= 0))].sort((a, b) => a - b);
    const index = new Map(ranks.map((rank, i) => [rank, i]));
    const deviceOf = (rank) => tiles.device_names?.[tiles.device[tiles.rank.indexOf(rank)]] ?? "";
    const entries = ranks.slice(0, 12).map((rank, i) => entry(named(i), `${rank} ${deviceOf(rank)}`));
    if (ranks.length > 12) entries.push(make("span", { class: "soft" }, `and ${ranks.length - 12} more`));
    return { color: (i) => index.has(tiles.rank[i]) ? named(index.get(tiles.rank[i])) : null, legend: entries };
  },
  /** The logarithm spreads the times of cheap tiles, which are most. */
  seconds: (tiles) => heatKind(tiles.seconds, Math.log),
  ended: (tiles) => heatKind(tiles.ended, (value) => value),
};

function heatKind(values, measure) {
  if (!values.some((value) => value > 0)) {
    return { color: () => null, legend: [make("span", { class: "soft" }, "There are no times yet.")] };
  }
  const share = heatScale(values, measure);
  return { color: (i) => values[i] > 0 ? heat(share(values[i])) : null, legend: heatLegend(values) };
}

function entry(color, text) {
  const swatch = make("i");
  swatch.style.background = css(color);
  return make("span", {}, swatch, text);
}
