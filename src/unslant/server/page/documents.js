// Word and OpenDocument files: the server reads them and writes the changes; only this browser keeps them, for the download.

import { changedDocument, documentText } from "./api.js";
import { editsBetween, sameParts } from "./tracked.js";
import { offer } from "./words.js";

const STORE = "documents";
const MOST = 5;
/** What was opened in this tab, by id: `{name, data, text}`. */
const opened = new Map();

/** Read a file; returns `{id, name, text, format}`, where the id is null if its changes cannot be tracked. */
export async function openDocument(file) {
  const data = await base64(file);
  const { text, format, tracks_changes: tracksChanges } = await documentText(file.name, data);
  if (!tracksChanges) return { id: null, name: file.name, text, format };
  const id = `${Date.now()}-${file.name}`;
  opened.set(id, { name: file.name, data, text });
  stored("readwrite", async (store, done) => {
    const ids = await done(store.getAllKeys());
    for (const old of ids.slice(0, Math.max(ids.length - MOST + 1, 0))) store.delete(old);
    store.put(opened.get(id), id);
  });
  return { id, name: file.name, text, format };
}

/** The document that a text comes from; null if this browser does not have it any more. */
export async function documentOf(id) {
  if (id && !opened.has(id)) {
    const found = await stored("readonly", (store, done) => done(store.get(id)));
    if (found) opened.set(id, found);
  }
  return opened.get(id) ?? null;
}

/** Delete the documents that this browser keeps; those of this tab stay until it is closed. */
export const forgetDocuments = () => stored("readwrite", (store) => store.clear());

/**
 * Write the changes of a text, and comments about findings, into its document.
 *
 * Returns `{bytes, changes, comments, left}`; `left` counts what cannot be written: paragraphs that are new or gone, and words in
 * somebody's tracked insertion.
 */
export async function trackedDocument({ name, data, text: before }, text, findings) {
  const { edits, lines, left } = editsBetween(before, text);
  const back = sameParts(before, text, lines);
  const comments = findings.map((finding) => ({ ...back(finding.chunk.start + finding.start, finding.chunk.start + finding.end), text: remark(finding) })).filter(({ start }) => start !== undefined);
  const answer = await changedDocument(name, data, edits, comments);
  return { bytes: Uint8Array.from(atob(answer.data), (letter) => letter.charCodeAt(0)), changes: answer.changes, comments: answer.comments, left: left + answer.left.length };
}

function remark(finding) {
  const [edit] = finding.edits.filter(({ applicability }) => applicability !== "display");
  if (!edit) return finding.why;
  const { action, gone, words } = offer(edit, finding);
  return `${finding.why} Suggestion: ${action === "omit" ? `delete “${gone}”` : `“${words}” for “${gone}”`}.`;
}

async function base64(file) {
  const reader = new FileReader();
  await new Promise((resolve, reject) => {
    reader.addEventListener("load", resolve);
    reader.addEventListener("error", () => reject(new Error(`“${file.name}” could not be read.`)));
    reader.readAsDataURL(file);
  });
  return reader.result.slice(reader.result.indexOf(",") + 1);
}

/** Run a task on the store; a browser that has none, as in private windows, keeps documents only in this tab. */
async function stored(mode, task) {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.addEventListener("success", () => resolve(request.result));
      request.addEventListener("error", () => reject(request.error));
    });
  try {
    const opening = indexedDB.open("unslant", 1);
    opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(STORE));
    const database = await done(opening);
    try {
      return await task(database.transaction(STORE, mode).objectStore(STORE), done);
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}
