// Light, dark, or as the system has it; remembered by the browser.
const kKey = "tessera-theme";

export function theme() {
  try {
    return localStorage.getItem(kKey) ?? "auto";
  } catch {
    return "auto";
  }
}

function apply(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

export function setTheme(name) {
  apply(name);
  try {
    localStorage.setItem(kKey, name);
  } catch { /* a browser without storage forgets it */ }
}

apply(theme());
