// What the page shows: the image, the place and the colours. The address bar holds it as a link.

export const kPlain = { palette: "", offset: 0, length: 0.35, transfer: "", field: "smooth", inside: "", distance: 0, light: "", equalize: "" };

let begun = kPlain;  // what the page begins with: the colours of the command line

const parametersOf = (look, names) => new URLSearchParams(names.map((name) => [name, String(look[name]).replace("#", "")]));

/** The colours as parameters of the URLs of tiles and regions; what is usual is left out. */
export const colorParameters = (look) => parametersOf(look, Object.keys(kPlain).filter((name) => look[name] !== kPlain[name]));

/** The same for links and posters, which also tell what is usual where the page begins with something else. */
export const linkParameters = (look) => parametersOf(look,
  Object.keys(kPlain).filter((name) => look[name] !== kPlain[name] || look[name] !== begun[name]));

/** Those that decide which values of the file are shown or counted. */
export function valueParameters(look) {
  const all = new URLSearchParams({ field: look.field });
  if (look.distance) all.set("distance", look.distance);
  if (look.light) all.set("light", look.light);
  if (look.equalize) all.set("equalize", look.equalize);
  else if (look.transfer || look.length !== kPlain.length) all.set("equalize", "false");
  return all.toString();
}

const kNumbers = ["offset", "length", "distance"];
const kForms = { inside: /^[0-9a-f]{6}$/i, light: /^-?[0-9.]+(,[0-9.]+)?$/, equalize: /^(true|false)$/,
  transfer: /^(linear|sqrt|cbrt):[0-9.]+$/ };

/** What a link says of a part of the colours: "" is what is usual, null makes no sense. */
function valueOf(name, text) {
  if (!text) return kPlain[name];
  if (kNumbers.includes(name)) return Number.isNaN(Number(text)) ? null : Number(text);
  return kForms[name]?.test(text) ?? true ? text : null;
}

/** Of a hash such as "#image=a.h5&at=100,200&zoom=-2&palette=ember". Unknown keys are left out; what is missing is as the
 *  page begins. */
export function readLink(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const look = { ...begun };
  for (const name of Object.keys(kPlain)) {
    if (given.has(name)) look[name] = valueOf(name, given.get(name)) ?? look[name];
  }
  const at = (given.get("at") ?? "").split(",").map(Number);
  const zoom = Number(given.get("zoom") ?? NaN);
  const placed = at.length === 2 && [...at, zoom].every(Number.isFinite);
  return { look, image: given.get("image"), place: placed ? { x: at[0], y: at[1], zoom } : null };
}

/** The colours of the command line, unless the address has others. */
export function takeLook(look, wanted, palettes) {
  begun = { ...kPlain };
  for (const [name, value] of Object.entries(wanted ?? {})) {
    if (value) begun[name] = typeof value === "string" ? value.replace("#", "") : value;
  }
  if (begun.palette === palettes[0]?.name) begun.palette = kPlain.palette;
  Object.assign(look, readLink(location.hash).look);
}

const short = (value) => String(Math.round(value * 100) / 100);

export function writeLink(name, look, place) {
  const all = new URLSearchParams({ image: name });
  all.set("at", `${short(place.x)},${short(place.y)}`);
  all.set("zoom", short(place.zoom));
  for (const [key, value] of linkParameters(look)) all.set(key, value);
  return "#" + all.toString().replaceAll("%2C", ",");
}
