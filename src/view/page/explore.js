// The page of `tessera explore`: puts the map of a place, the panel and the address bar together.
import { attempt } from "./api.js";
import { Colors } from "./colors.js";
import { by, make } from "./dom.js";
import { ExploredMap } from "./explored_map.js";
import { Finder } from "./find.js";
import { kHelpKey, kLinkKey, listen, mapKeys, paletteKeys } from "./keys.js";
import { readLink, takeLook } from "./look.js";
import { addPanel, kPanelKey } from "./panel.js";
import { addZoomBar } from "./zoom_bar.js";

const kMaxDensity = 9;  // of its slider, as a power of 2
const kDefaultParameters = { constant: "-0.8,0.156", degree: "3", "": "" };

/** Returns what shows the formula of the map. */
function addFormulas(explore) {
  const kinds = Object.fromEntries(explore.facts.formulas.map(({ name, parameter }) => [name, parameter]));
  const [formula, field] = [by("formula"), by("formula-parameter")];
  formula.append(...Object.keys(kinds).map((known) => make("option", { value: known }, known)));
  const show = () => { field.parentElement.hidden = !kinds[formula.value]; };
  const change = () => explore.renew({ formula: kinds[formula.value] ? `${formula.value}:${field.value.trim()}` : formula.value });
  formula.addEventListener("change", () => {
    field.value = kDefaultParameters[kinds[formula.value]];
    show();
    change();
  });
  field.addEventListener("change", change);
  return () => {
    [formula.value, field.value = ""] = explore.formula.split(":");
    show();
  };
}

function addIterations(explore) {
  by("iterations").addEventListener("change", () => {
    const value = Math.floor(Number(by("iterations").value));
    by("iterations").value = value > 0 ? value : "";
    explore.renew({ iterations: value > 0 ? value : null });
  });
}

function addButtons(explore) {
  addZoomBar({ step: (way) => explore.motion.step(way), all: () => explore.start() });
  addPanel();
}

function addKeys(explore, colors, finder) {
  listen([
    ...mapKeys(explore.map, (way) => explore.motion.step(way)),
    [["0"], "back to the beginning", () => explore.start()],
    [["m"], "to the minibrot near the pointer", () => finder.findHere()],
    ...paletteKeys((way) => colors.nextPalette(way)),
    [["s"], "smooth or counts", () => colors.nextField()],
    kLinkKey,
    kPanelKey,
    kHelpKey,
  ]);
}

export async function startExplore({ map, look, readout, palettes, facts, addTabs }) {
  for (const id of ["tiles", "cut"]) by(id).remove();
  for (const id of ["scene", "poster"]) by(id).hidden = false;
  takeLook(look, facts.look, palettes);
  const explore = new ExploredMap({ map, look, readout, facts });
  by("density").max = kMaxDensity;
  const colors = new Colors(palettes, look, () => explore.recolor());
  colors.show(facts);
  const showFormula = addFormulas(explore);
  addIterations(explore);
  addButtons(explore);
  const finder = new Finder(explore);
  addKeys(explore, colors, finder);
  addTabs();
  by("name").textContent = "Explore";
  document.title = "Explore – Tessera";
  const open = async () => {
    const link = location.hash;
    await explore.open(link);
    showFormula();
    colors.set(readLink(link).look);
  };
  await open();
  explore.listenToPointer();
  addEventListener("hashchange", () => location.hash !== explore.written && attempt("No such place", open));
  window.tessera = { map, look, explore, finder };
  document.documentElement.dataset.ready = "yes";
}
