// The line below the text: what is going on, where the text goes, and a way on when something fails.

import { hasToken } from "./api.js";
import { byId } from "./dom.js";
import { foreign } from "./summary.js";

const HERE = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Where the text goes, in words. */
export function destination(hostname, host, sentTo = []) {
  if (sentTo.length) return `Goes to ${sentTo.join(", ")}`;
  return HERE.test(hostname) ? "Stays on this computer" : `Goes to ${host}`;
}

/** Show the state of the check. */
export function showStatus({ editor, checker }) {
  const { draft } = editor;
  const { problem } = checker;
  const state = byId("state");
  const language = foreign(draft);
  const reading = draft.progress < 1 ? `Checking … ${Math.floor(100 * draft.progress)}%` : "Checking …";
  const done = language ? `This looks like ${language}; unslant reads English` : "Checked";
  const status = problem?.message ?? (checker.busy || draft.progress < 1 ? reading : draft.text.trim() ? done : "");
  if (state.textContent !== status) state.textContent = status;
  state.classList.toggle("trouble", Boolean(problem));
  byId("retry").hidden = !problem?.retry;
  byId("where").textContent = destination(location.hostname, location.host, checker.sentTo);
  const dialog = byId("token");
  if (checker.needsToken && !dialog.open) {
    byId("token-problem").hidden = !hasToken();
    dialog.showModal();
  }
}
