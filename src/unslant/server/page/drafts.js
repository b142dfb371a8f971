// Keeps the draft, its format and the decisions in this browser until the writer clears them, and the draft before it.
//
// Every tab has a draft of its own, which a reload finds in the tab. A copy in the browser outlives the tab: the next tab that is
// opened takes it, unless the tab that it belongs to is still open.

const DRAFT = "unslant-draft";
const PREVIOUS = "unslant-previous-draft";
const TAB = "unslant-tab";
const KEPT = "unslant-kept-draft-";
const MOST = 5;

const tab = sessionStorage.getItem(TAB) ?? `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
sessionStorage.setItem(TAB, tab);
// Held as long as the tab is open; browsers offer locks to pages of this machine and of https only.
navigator.locks?.request(KEPT + tab, () => new Promise(() => {}));

function read(name, storage = sessionStorage) {
  try {
    return JSON.parse(storage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

function write(name, text, storage = sessionStorage) {
  try {
    storage.setItem(name, text);
    return true;
  } catch {
    // A draft that is too large to store is still on the screen.
    return false;
  }
}

export const keptDraft = () => read(DRAFT);

/** Keep the draft in this tab. */
export const keepDraft = (draft) => write(DRAFT, JSON.stringify(draft));

/** Keep the draft for the time when this tab is closed. */
export function keepForLater(draft) {
  const text = JSON.stringify({ ...draft, kept: Date.now() });
  if (!draft.text.trim()) localStorage.removeItem(KEPT + tab);
  else if (!write(KEPT + tab, text, localStorage)) {
    // The oldest drafts make room for this one.
    forgetOldest(0);
    write(KEPT + tab, text, localStorage);
  }
}

/** Take the latest draft of a tab that was closed; null if there is none. */
export async function leftDraft() {
  const held = (await navigator.locks?.query())?.held ?? [];
  const open = new Set(held.map((lock) => lock.name));
  const [latest] = kept().filter(({ name }) => !open.has(name));
  if (!latest) return null;
  localStorage.removeItem(latest.name);
  forgetOldest(MOST);
  return latest.draft;
}

/** The drafts of other tabs, the latest first. */
function kept() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(KEPT) && name !== KEPT + tab);
  const drafts = names.map((name) => ({ name, draft: read(name, localStorage) }));
  return drafts.filter(({ draft }) => draft?.text).toSorted((a, b) => b.draft.kept - a.draft.kept);
}

function forgetOldest(most) {
  for (const { name } of kept().slice(most)) localStorage.removeItem(name);
}

let previous = read(PREVIOUS);

/** The draft that another text replaced; null if there is none. */
export const previousDraft = () => previous;

/** Put a draft aside, so that it can be taken back. */
export function setAside(draft) {
  previous = draft?.text.trim() ? draft : null;
  if (previous) write(PREVIOUS, JSON.stringify(previous));
  else sessionStorage.removeItem(PREVIOUS);
}

/** Delete all drafts that this browser keeps. */
export function forgetDrafts() {
  setAside(null);
  sessionStorage.removeItem(DRAFT);
  for (const name of Object.keys(localStorage)) if (name.startsWith(KEPT)) localStorage.removeItem(name);
}
