// The rewriter's answers: which edits it offers for a chunk, and why it holds others back.

import { fixAll } from "./api.js";
import { fromCodePoints } from "./positions.js";

const REMEMBERED = 500;
const MOST_TEXT = 6_000;
const NONE = { edits: [], findings: [], notes: [] };

export class Fixes {
  constructor() {
    this.known = new Map();
  }

  /** The edits for a chunk: by position, with positions in the chunk; `{edits, findings, notes}`. */
  async of(chunk, format, settings = {}) {
    const [found] = await this.all([chunk], format, settings);
    return found;
  }

  /** The edits for several chunks, in as few requests as are polite; `progress` is called with each part. */
  async all(chunks, format, settings = {}, progress = () => {}) {
    // Copies, because a chunk may change while the server works.
    const wanted = chunks.map(({ text, before, after }) => ({ text, before, after, key: JSON.stringify([format, settings, before, after, text]) }));
    const found = new Map(wanted.map(({ key }) => [key, this.known.get(key)]));
    let batch = [];
    const send = async () => {
      const sent = batch;
      batch = [];
      const answers = await fixAll(sent, format, settings);
      sent.forEach(({ key, text }, index) => {
        found.set(key, placedFix(answers[index], text));
        this.#remember(key, found.get(key));
      });
      progress(sent);
    };
    for (const chunk of wanted) {
      if (!chunk.text.trim() || found.get(chunk.key)) continue;
      if (batch.length && batch.reduce((sum, part) => sum + part.text.length, 0) + chunk.text.length > MOST_TEXT) await send();
      batch.push(chunk);
    }
    if (batch.length) await send();
    return wanted.map(({ key }) => found.get(key) ?? NONE);
  }

  #remember(key, found) {
    this.known.set(key, found);
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value);
  }
}

/** A result with positions in UTF-16 units. */
function placedFix(fixed, text) {
  if (!fixed) return NONE;
  const at = fromCodePoints(text);
  const placed = ({ span, ...rest }) => ({ ...rest, start: at(span.start), end: at(span.end), before: text.slice(at(span.start), at(span.end)) });
  const edits = fixed.edits.map((edit) => ({
    ...placed(edit),
    sentence: { start: at(edit.sentence.start), end: at(edit.sentence.end) },
    alternatives: edit.alternatives.map(placed),
  }));
  const findings = fixed.report.findings.map(placed);
  return { edits, findings, notes: fixed.notes.map((note) => note.message) };
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
