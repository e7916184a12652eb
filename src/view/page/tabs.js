// On a phone, one section of the panel at a time above a row of tabs.
import { by, make } from "./dom.js";

/** Returns open(id), which opens a section or closes it. */
export function addTabs() {
  const sections = [...by("panel").querySelectorAll("details:not([hidden])")];
  by("tabs").append(...sections.map((section) => {
    const button = make("button", { type: "button", "aria-expanded": "false", "aria-controls": section.id },
      section.querySelector("summary").firstChild.textContent.trim());
    button.addEventListener("click", () => open(section.id));
    return button;
  }));
  for (const section of sections) {
    section.addEventListener("toggle", () => section.open && section.scrollIntoView({ block: "nearest" }));
  }
  const open = (id) => {
    const now = by("panel").dataset.open === id ? "" : id;
    by("panel").dataset.open = now;
    for (const section of sections) if (section.id === now) section.open = true;
    for (const button of by("tabs").children) button.setAttribute("aria-expanded", button.getAttribute("aria-controls") === now);
  };
  return open;
}
