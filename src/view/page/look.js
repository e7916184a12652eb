// What the page shows: the image, the place and the colours. The address bar holds it as a link.

export const kPlain = { palette: "", offset: 0, length: 0.35, transfer: "", field: "smooth", inside: "", distance: 0, light: "", equalize: "" };

/** The colours as parameters of the URLs of tiles and regions; what is usual is left out. */
export function colorParameters(look) {
  const all = new URLSearchParams();
  for (const [name, usual] of Object.entries(kPlain)) {
    if (look[name] !== usual) all.set(name, String(look[name]).replace("#", ""));
  }
  return all;
}

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

/** Of a hash such as "#image=a.h5&at=100,200&zoom=-2&palette=ember". Unknown keys are left out. */
export function readLink(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const look = { ...kPlain };
  for (const name of Object.keys(kPlain)) {
    if (!given.has(name)) continue;
    const text = given.get(name);
    const value = kNumbers.includes(name) ? Number(text) : text;
    if (!Number.isNaN(value)) look[name] = value;
  }
  if (!/^[0-9a-f]{6}$/i.test(look.inside)) look.inside = "";
  if (!/^-?[0-9.]+(,[0-9.]+)?$/.test(look.light)) look.light = "";
  if (!["true", "false"].includes(look.equalize)) look.equalize = "";
  if (!/^(linear|sqrt|cbrt):[0-9.]+$/.test(look.transfer)) look.transfer = "";
  const at = (given.get("at") ?? "").split(",").map(Number);
  const zoom = Number(given.get("zoom") ?? NaN);
  const placed = at.length === 2 && [...at, zoom].every(Number.isFinite);
  return { look, image: given.get("image"), place: placed ? { x: at[0], y: at[1], zoom } : null };
}

/** The colours of the command line, unless the address has others. */
export function takeLook(look, wanted) {
  const link = new URLSearchParams(location.hash.replace(/^#/, ""));
  for (const [name, value] of Object.entries(wanted ?? {})) {
    if (value && !link.has(name)) look[name] = typeof value === "string" ? value.replace("#", "") : value;
  }
}

const short = (value) => String(Math.round(value * 100) / 100);

export function writeLink(name, look, place) {
  const all = new URLSearchParams({ image: name });
  all.set("at", `${short(place.x)},${short(place.y)}`);
  all.set("zoom", short(place.zoom));
  for (const [key, value] of colorParameters(look)) all.set(key, value);
  return "#" + all.toString().replaceAll("%2C", ",");
}
