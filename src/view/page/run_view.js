// A run as a page: the same for one that is going on, for the report of one that is over, and for a file.
import { bars, kTileKinds, legend, line, saveChart, stageColor, tilePicture, timeline } from "./charts.js";
import { by, choice, count, make, seconds } from "./dom.js";

const kMaxRows = 64;

const kPrefixes = ["", " k", " M", " G", " T", " P"];

function scaled(value, unit) {
  let power = 0;
  for (; Math.abs(value) >= 1000 && power < kPrefixes.length - 1; ++power) value /= 1000;
  return `${Number(value.toPrecision(3))}${kPrefixes[power] || (unit && " ")}${unit}`;
}

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let power = 0;
  for (; value >= 1024 && power < units.length - 1; ++power) value /= 1024;
  return `${Number(value.toPrecision(3))} ${units[power]}`;
}

const share = (value) => `${(100 * value).toFixed(1)} %`;

function facts({ report = {}, ...run }) {
  const total = report.total ?? {};
  const known = [
    ["Elapsed", run.elapsed_s > 0 && seconds(run.elapsed_s)],
    ["Left", run.state === "running" && run.left_s != null && seconds(run.left_s)],
    [`${capital(run.item)}s a second`, run.state === "running" && lately(run.rates) > 0 && scaled(lately(run.rates), "")],
    ["Pixels a second", report.pixels_per_s > 0 && scaled(report.pixels_per_s, "")],
    ["Iterations a second", report.iterations_per_s > 0 && scaled(report.iterations_per_s, "")],
    ["Bytes a second", report.bytes_per_s > 0 && scaled(report.bytes_per_s, "B")],
    ["Computing", report.computing_share_ratio > 0 && share(report.computing_share_ratio)],
    ["Load balance", report.load_balance_ratio > 0 && report.ranks?.length > 1 && report.load_balance_ratio.toFixed(3)],
    ["Workers", (total.workers || run.workers) > 0 && `${total.workers || run.workers} on ${plural(ranksOf(run, report).length || 1, "rank")}`],
    ["Memory", (total.peak_memory_bytes || run.memory_bytes) > 0 && bytes(total.peak_memory_bytes || run.memory_bytes)],
    ["Energy", report.energy_j > 0 && scaled(report.energy_j, "J")],
    ["Energy a gigapixel", report.energy_per_gigapixel_j > 0 && scaled(report.energy_per_gigapixel_j, "J")],
    ["Energy a terabyte", report.energy_per_terabyte_j > 0 && scaled(report.energy_per_terabyte_j, "J")],
    ["Starts", report.starts?.length > 1 && `${report.starts.length} in ${seconds(report.all_starts.wall_s)}`],
    ["Output", report.output_bytes > 0 && bytes(report.output_bytes)],
  ];
  return known.filter(([, value]) => value).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
}

const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const capital = (text) => text ? text[0].toUpperCase() + text.slice(1) : "Item";

/** The most that it had, or what it has now while the run goes on. */
const memoryOf = (rank) => rank.peak_memory_bytes ?? rank.memory_bytes;

/** The mean of all its hardware that tells it, or what that takes now. */
const powerOf = (rank) => rank.meters?.reduce((sum, { mean_power_w: w }) => sum + (w ?? 0), 0) ?? rank.power_w;

const ranksOf = (run, report) => report?.ranks?.length ? report.ranks : run.ranks ?? [];

/** Items a second over the last quarter of the samples. */
function lately(rates) {
  if (!rates || rates.length < 2) return 0;
  const [start, end] = [rates[Math.floor(rates.length * 0.75) - (rates.length < 4 ? 1 : 0)] ?? rates[0], rates.at(-1)];
  return end[0] > start[0] ? (end[1] - start[1]) / (end[0] - start[0]) : 0;
}

/** Sums become rates between two samples. */
function differences(rates) {
  const points = [];
  for (let i = 1; i < rates.length; ++i) {
    const time = rates[i][0] - rates[i - 1][0];
    if (time > 0) points.push([rates[i][0], Math.max(0, (rates[i][1] - rates[i - 1][1]) / time)]);
  }
  return points;
}

/** [{ name, value }] of a rank; a report of a reduction has fewer stages. */
function stagesOf(rank) {
  const of = rank.stages ?? { read_s: rank.read_s, reduce_s: rank.reduce_s, wait_s: rank.wait_s };
  return Object.entries(of).map(([key, value]) => ({ name: key.replace(/_s$/, ""), value: value ?? 0 }));
}

function stages(run, report) {
  const ranks = ranksOf(run, report).filter((rank) => stagesOf(rank).some(({ value }) => value > 0));
  if (!ranks.length) return null;
  const names = [...new Set(ranks.flatMap((rank) => stagesOf(rank).filter(({ value }) => value > 0).map(({ name }) => name)))];
  const rows = ranks.slice(0, kMaxRows).map((rank) => ({ name: `rank ${rank.rank} ${rank.host ?? ""}`, parts: stagesOf(rank) }));
  return section("Stages", "Seconds, summed over the threads of a rank.",
    legend(names.map((name) => [stageColor(name), name])), bars(rows), more(ranks.length));
}

const more = (all) => all > kMaxRows ? make("p", { class: "soft" }, `The first ${kMaxRows} of ${count(all)} ranks.`) : "";

function section(title, text, ...content) {
  const chart = content.find((part) => part.localName === "svg");
  const save = chart ? make("button", { type: "button", class: "save" }, "SVG") : "";
  if (chart) save.addEventListener("click", () => saveChart(chart, title));
  return make("section", {}, save, make("h2", {}, title), text ? make("p", { class: "soft" }, text) : "", ...content);
}

let tileKind = "";

function tiles({ tiles: map, item }) {
  if (!map?.columns) return null;
  const canvas = make("canvas", { class: "tile-map", role: "img", "aria-label": "The tiles" });
  const notes = make("p", { class: "legend" });
  const draw = (kind) => {
    tileKind = kind;
    const { color, legend: entries } = kTileKinds[kind](map);
    tilePicture(canvas, map.columns, map.rows, (i) => map.state[i] > 0 ? color(i) : null);
    notes.replaceChildren(...entries);
  };
  tileKind ||= new Set(map.rank.filter((rank) => rank >= 0)).size > 1 ? "rank" : "seconds";
  const switcher = make("div", { class: "choice", role: "radiogroup", "aria-label": "Colour the tiles by" });
  choice(switcher, "tile-kind", { state: "State", rank: "Rank", seconds: "Time", ended: "When" }, tileKind, draw);
  draw(tileKind);
  const shape = map.columns * (map.tile_width || 1) / (map.rows * (map.tile_height || 1));
  canvas.style.aspectRatio = String(shape);
  canvas.style.maxWidth = `${Math.round(Math.min(960, Math.max(140, 460 * shape)))}px`;
  return section(`${capital(item)}s`, "", switcher, make("div", { class: "hatched" }, canvas), notes);
}

function lanes({ timeline: all, item, elapsed_s: wall }) {
  if (!all?.length || !(wall > 0)) return null;
  const names = [...new Set(all.flatMap(({ spans }) => spans.map(([stage]) => stage)))];
  return section("Timeline", "", legend(names.map((name) => [stageColor(name), name])),
    timeline(all.slice(0, 2 * kMaxRows), wall, item || "item"));
}

function rates({ rates: samples, item }) {
  if (!samples || samples.length < 4) return null;
  return section(`${capital(item)}s a second`, "", line(differences(samples), (value) => scaled(value, "")));
}

function table(head, rows) {
  return make("div", { class: "wide" }, make("table", {},
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", {}, text)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((text) => make("td", {}, String(text ?? ""))))))));
}

function ranks(run, report) {
  const all = ranksOf(run, report);
  if (!all.length) return null;
  const items = (rank) => rank.tiles ?? rank.slices ?? rank.items ?? 0;
  const columns = [
    ["Rank", (rank) => rank.rank], ["Host", (rank) => rank.host], ["Device", (rank) => rank.device],
    ["Workers", (rank) => rank.workers || ""], [`${capital(run.item)}s`, (rank) => count(items(rank))],
    ["Busy", (rank) => rank.busy_s > 0 && report?.wall_s > 0 && rank.workers > 0 ?
      share(Math.min(1, rank.busy_s / report.wall_s / rank.workers)) : ""],
    ["Memory", (rank) => memoryOf(rank) > 0 ? bytes(memoryOf(rank)) : ""],
    ["Power", (rank) => powerOf(rank) > 0 ? scaled(powerOf(rank), "W") : ""],
    ["Now", (rank) => rank.now ?? ""],
  ].filter(([, value]) => all.some((rank) => value(rank) !== "" && value(rank) != null));
  return section("Ranks and devices", "", table(columns.map(([name]) => name),
    all.slice(0, kMaxRows).map((rank) => columns.map(([, value]) => value(rank)))), more(all.length));
}

const kMeterColumns = [
  ["Energy", ({ energy_j: x }) => x > 0 && scaled(x, "J")],
  ["Power", ({ mean_power_w: x }) => x > 0 && scaled(x, "W")], ["Highest", ({ max_power_w: x }) => x > 0 && scaled(x, "W")],
  ["Temperature", ({ max_temperature_c: x }) => x != null && `${Math.round(x)} °C`],
  ["Clock", ({ mean_clock_hz: x }) => x > 0 && scaled(x, "Hz")],
  ["In use", ({ mean_utilization_ratio: x }) => x != null && share(x)],
  ["Memory", ({ max_memory_bytes: x }) => x > 0 && bytes(x)],
];

function meters(report) {
  const rows = (report?.ranks ?? []).flatMap(({ rank, host, meters: of = [] }) => of.map((meter) => ({ rank, host, meter })))
    .filter(({ meter }) => kMeterColumns.some(([, value]) => value(meter)));
  if (!rows.length) return null;
  return section("Energy and power", "Of whole GPUs, and of the processors of a host.",
    table(["Rank", "Host", "Device", ...kMeterColumns.map(([name]) => name)], rows.slice(0, kMaxRows).map(({ rank, host, meter }) =>
      [rank, host, meter.device, ...kMeterColumns.map(([, value]) => value(meter) || "")])));
}

function results(report) {
  if (!report?.results?.length) return null;
  const rows = report.results.map(({ op, values }) => [op, values.slice(0, 8).map(({ decimal }) => decimal).join(", ") + (values.length > 8 ? ", …" : "")]);
  return section("Results", "", table(["Operation", "Value"], rows));
}

function messages({ messages: all }) {
  if (!all?.length) return null;
  return section("Messages", "", make("ul", {}, ...all.map((text) => make("li", {}, text))));
}

function pairs(title, of) {
  const rows = Object.entries(of ?? {}).filter(([, value]) => value !== "");
  if (!rows.length) return null;
  return make("details", {}, make("summary", {}, title),
    make("dl", { class: "pairs" }, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))])));
}

const kStates = { running: "running", complete: "complete", unfinished: "not finished", share: "complete share", stopped: "stopped", failed: "failed" };

function head(run) {
  const part = run.total > 0 ? Math.max(run.done / run.total, run.state === "running" ? run.share ?? 0 : 0) : 0;
  const what = [kStates[run.state] ?? run.state, run.state === "running" && run.stage,
    run.total > 0 && `${count(run.done)} of ${count(run.total)} ${run.stage_item}s`].filter(Boolean).join(" · ");
  by("run-title").textContent = run.title;
  document.title = `${run.title} – Tessera`;
  by("run-state").textContent = what;
  by("run-bar").hidden = run.state === "complete" || run.state === "share" || !(run.total > 0);
  by("run-bar").value = part;
  by("run-facts").replaceChildren(...facts(run));
  by("run-version").textContent = `tessera ${run.command} ${run.version}`;
  if (run.picture && by("run-picture").getAttribute("src") !== run.picture) by("run-picture").setAttribute("src", run.picture);
  by("run-picture").hidden = !run.picture;
}

/** Fills the page with the document of a run (docs/report.md, "A run as a page"). */
export function showRun(run) {
  head(run);
  const opened = [...by("run-sections").querySelectorAll("details")].map(({ open }) => open);
  const parts = [results(run.report), rates(run), tiles(run), lanes(run), stages(run, run.report), ranks(run, run.report), meters(run.report),
    messages(run), pairs("Options", run.job), pairs("Attributes", run.attributes), pairs("Files", run.outputs)];
  by("run-sections").replaceChildren(...parts.filter(Boolean));
  [...by("run-sections").querySelectorAll("details")].forEach((one, i) => { one.open = opened[i] ?? false; });
}
