// Runs before anything is painted, so that a chosen theme never flashes the other one.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("unslant-theme");
  } catch {
    // Storage may be shut off; the system's setting then decides.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
