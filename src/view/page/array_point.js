// The element under the cursor; a click keeps it.
import { copy, getJson, isAbort } from "./api.js";
import { by, debounce, make } from "./dom.js";
import { point } from "./map.js";
import { labelOf, map, planeParameters, shown, state } from "./shown_plane.js";

const kPointMs = 60;

let kept = null;  // the rectangle round an element that was clicked
let last = null;  // the point that was asked for last
let request = null;

const ask = debounce(kPointMs, async ([x, y]) => {
  request?.abort();
  request = new AbortController();
  const url = `/api/arrays/${shown.array.id}/value?${planeParameters({ x, y })}`;
  const got = await getJson(url, { signal: request.signal }).catch((error) => (isAbort(error) ? null : { problem: error.message }));
  if (got) printPoint(got);
});

const askPoint = (at) => ask(last = at);

/** Of another plane. */
export const askPointAgain = () => last && ask(last);

/** For another array. */
export function forgetPoint() {
  last = null;
  by("readout").replaceChildren(make("dd", { class: "soft" }, "Point at the array. A click keeps the point."));
}

function printPoint({ value, index, coordinates, problem }) {
  const rows = problem ? [["", problem]] : [
    ["Value", value + (shown.array.attributes?.units && !state.minus ? ` ${shown.array.attributes.units}` : "")],
    ["Index", `[${index.join(", ")}]`],
    ...coordinates.map((at, d) => [labelOf(d), shown.array.coordinates[d].text(at)]).filter(([, text]) => text),
  ];
  by("readout").replaceChildren(...rows.flatMap(([name, text]) => [make("dt", {}, name), make("dd", { class: name === "Value" ? "digits" : "" }, text)]));
  by("copy-value").disabled = value == null;
  by("copy-value").dataset.value = value ?? "";
}

const elementAt = ({ lng, lat }) => {
  const [x, y] = [Math.floor(lng), Math.floor(lat)];
  return shown.plane && x >= 0 && y >= 0 && x < shown.plane.width && y < shown.plane.height ? [x, y] : null;
};

/** Whether a point was kept. */
export function release() {
  const had = kept != null;
  kept?.remove();
  kept = null;
  by("point-hint").textContent = "";
  return had;
}

/** While a rectangle is drawn, a click keeps no point. */
export function addPoint(rectangle) {
  map.on("mousemove", ({ latlng }) => {
    const at = elementAt(latlng);
    if (!kept && at) askPoint(at);
  });
  map.on("click", ({ latlng }) => {
    if (rectangle.active) return;
    const at = elementAt(latlng);
    const had = release();
    if (!at || had) return;
    kept = L.rectangle([point(...at), point(at[0] + 1, at[1] + 1)], { className: "kept", interactive: false }).addTo(map);
    by("point-hint").textContent = "kept";
    askPoint(at);
  });
  by("copy-value").addEventListener("click", ({ target }) => copy(target.dataset.value, "Value"));
  forgetPoint();
}
