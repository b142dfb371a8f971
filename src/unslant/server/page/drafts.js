// Keeps the draft, its format and the decisions in this tab, and the draft before it.

const DRAFT = "unslant-draft";
const PREVIOUS = "unslant-previous-draft";

function read(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

function write(name, draft) {
  try {
    sessionStorage.setItem(name, JSON.stringify(draft));
    return true;
  } catch {
    // A draft that is too large to store is still on the screen.
    return false;
  }
}

export const keptDraft = () => read(DRAFT);
export const keepDraft = (draft) => write(DRAFT, draft);

let previous = read(PREVIOUS);

/** The draft that another text replaced; null if there is none. */
export const previousDraft = () => previous;

/** Put a draft aside, so that it can be taken back. */
export function setAside(draft) {
  previous = draft?.text.trim() ? draft : null;
  if (previous) write(PREVIOUS, previous);
  else sessionStorage.removeItem(PREVIOUS);
}
