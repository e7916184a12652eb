// Small pieces of the page. Text goes in as text, so nothing from a file can become markup.

export const by = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value == null) continue;
    if (name in element && name !== "list" && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Radio buttons that look like one switch. `choices`: value → label. */
export function choice(holder, name, choices, chosen, then) {
  holder.replaceChildren(...Object.entries(choices).map(([value, label]) => {
    const input = make("input", { type: "radio", name, value });
    input.checked = value === chosen;
    input.addEventListener("change", () => then(value));
    return make("label", {}, input, make("span", {}, label));
  }));
}

export function choose(holder, value) {
  for (const input of holder.querySelectorAll("input")) input.checked = input.value === value;
}

/** Calls `work` once, `ms` after the last call. */
export function debounce(ms, work) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), ms);
  };
}

export const count = (value) => value.toLocaleString("en-US");

export function seconds(s) {
  if (!Number.isFinite(s)) return "–";
  if (s < 1e-3) return `${(s * 1e6).toPrecision(3)} µs`;
  if (s < 1) return `${(s * 1e3).toPrecision(3)} ms`;
  if (s < 60) return `${s.toPrecision(3)} s`;
  const parts = [Math.floor(s / 3600), Math.floor(s / 60) % 60, Math.floor(s) % 60];
  const [h, m, rest] = parts.map((part) => String(part).padStart(2, "0"));
  return parts[0] ? `${parts[0]}:${m}:${rest} h` : `${Number(m)}:${rest} min`;
}
