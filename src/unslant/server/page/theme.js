// Runs before the first paint, so that the page never flashes the wrong theme.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("unslant-theme");
  } catch {
    // Storage may be disabled; then the system's setting applies.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
