// The rewriter's answers: which edits it offers for a chunk, and why it holds others back.

import { fixAll } from "./api.js";
import { fromCodePoints } from "./positions.js";

const REMEMBERED = 500;
const MOST_TEXT = 6_000;

export class Fixes {
  constructor() {
    this.known = new Map();
  }

  /** The edits for a chunk: by position, with positions in the chunk; `{edits, notes}`. */
  async of(text, format, settings = {}) {
    const [found] = await this.all([text], format, settings);
    return found;
  }

  /** The edits for several chunks, in as few requests as are polite; `progress` is called with each part. */
  async all(texts, format, settings = {}, progress = () => {}) {
    const key = (text) => `${format}\n${JSON.stringify(settings)}\n${text}`;
    let batch = [];
    const send = async () => {
      const sent = batch;
      batch = [];
      const answers = await fixAll(sent, format, settings);
      sent.forEach((text, index) => this.#remember(key(text), placedFix(answers[index], text)));
      progress(sent);
    };
    for (const text of texts) {
      if (!text.trim() || this.known.has(key(text))) continue;
      if (batch.length && batch.reduce((sum, part) => sum + part.length, 0) + text.length > MOST_TEXT) await send();
      batch.push(text);
    }
    if (batch.length) await send();
    return texts.map((text) => this.known.get(key(text)) ?? { edits: [], notes: [] });
  }

  #remember(key, found) {
    this.known.set(key, found);
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value);
  }
}

/** A result with positions in UTF-16 units. */
function placedFix(fixed, text) {
  if (!fixed) return { edits: [], notes: [] };
  const at = fromCodePoints(text);
  const placed = ({ span, ...rest }) => ({ ...rest, start: at(span.start), end: at(span.end), before: text.slice(at(span.start), at(span.end)) });
  const edits = fixed.edits.map((edit) => ({
    ...placed(edit),
    sentence: { start: at(edit.sentence.start), end: at(edit.sentence.end) },
    alternatives: edit.alternatives.map(placed),
  }));
  return { edits, notes: fixed.notes.map((note) => note.message) };
}

/** The edits that can be applied together: in order, none overlapping another, the safe ones first in a conflict. */
export function compatible(edits) {
  const rank = (edit) => (edit.applied ? 0 : edit.applicability === "safe" ? 1 : 2);
  const picked = [];
  for (const edit of edits.filter((candidate) => candidate.applicability !== "display").toSorted((a, b) => rank(a) - rank(b))) {
    if (picked.every((other) => edit.end <= other.start || edit.start >= other.end)) picked.push(edit);
  }
  return picked.toSorted((a, b) => a.start - b.start);
}

/** A text with edits applied, which do not overlap and are in order. */
export function applied(text, edits, from = 0) {
  let done = "";
  let at = 0;
  for (const edit of edits) {
    done += text.slice(at, edit.start - from) + edit.replacement;
    at = edit.end - from;
  }
  return done + text.slice(at);
}
