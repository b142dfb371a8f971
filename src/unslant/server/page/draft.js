// The current text: its chunks and their results. Independent of the screen and the network.

import { cut, difference, sensesIn, surroundings } from "./chunks.js";
import { SPLIT } from "./formats.js";

let chunkCount = 0;
let findingCount = 0;

/** A part of the text with its findings; positions are relative to its start. */
export class Chunk {
  constructor(text) {
    this.id = (chunkCount += 1);
    this.text = text;
    this.start = 0;
    /** What the server reads around it; what it says depends on this, too. */
    this.before = "";
    this.after = "";
    /** Its words that the whole text uses in a sense of their own; null if there are none, or nobody knows yet. */
    this.senses = null;
    /** `new`: to be checked; `pending`: being checked; `checked`; `failed`. */
    this.state = text.trim() ? "new" : "checked";
    this.sentences = [];
    this.findings = [];
    /** Stretches that were not checked, each with a reason. */
    this.skipped = [];
    /** The language if it is not English. */
    this.language = null;
  }

  /** Store a result; a finding that existed before keeps its id, so that an open card stays open. */
  setResult({ sentences, findings, skipped = [], language = null }) {
    const known = new Map(this.findings.map((finding) => [`${finding.fingerprint} ${finding.start}`, finding.id]));
    this.sentences = sentences.map((sentence) => ({ ...sentence }));
    this.findings = findings.map((finding) => ({
      ...finding,
      id: known.get(`${finding.fingerprint} ${finding.start}`) ?? (findingCount += 1),
      chunk: this,
    }));
    this.skipped = skipped;
    this.language = language;
    this.state = "checked";
  }

  get end() {
    return this.start + this.text.length;
  }
}

export class Draft {
  constructor() {
    this.text = "";
    this.format = "text";
    this.chunks = [];
    this.senses = null;
  }

  /** Set a new text; only chunks that the change touches are rebuilt. Returns the change, or null if there is none. */
  edit(text) {
    if (text === this.text) return null;
    const change = difference(this.text, text);
    const [first, last] = this.#whole ? [0, this.chunks.length] : this.#touched(change);
    const gone = this.chunks.slice(first, last);
    const from = gone[0]?.start ?? this.chunks[first]?.start ?? this.text.length;
    const until = (gone.at(-1)?.end ?? from) + change.inserted.length - change.removed.length;
    const made = this.#chunks(text.slice(from, until));
    const kept = carried(gone, change);
    this.text = text;
    this.chunks.splice(first, gone.length, ...made);
    this.#renumber();
    for (const chunk of made) adopt(chunk, kept);
    return { ...change, first, gone, made };
  }

  /** Set another format, which splits the text anew; returns the change, as `edit` does. */
  setFormat(format) {
    this.format = format;
    const gone = this.chunks;
    this.chunks = this.#chunks(this.text);
    this.#renumber();
    return { start: 0, removed: "", inserted: "", first: 0, gone, made: this.chunks };
  }

  /** Take the words that the text uses in a sense of its own; chunks with others than before are to be checked again. */
  setSenses(senses) {
    this.senses = senses;
    for (const chunk of this.chunks) {
      const found = sensesIn(chunk.text, senses);
      if (JSON.stringify(found) !== JSON.stringify(chunk.senses) && chunk.text.trim()) chunk.state = "new";
      chunk.senses = found;
    }
  }

  /** Whether a change anywhere concerns the whole text. */
  get #whole() {
    return !SPLIT.includes(this.format);
  }

  /** All findings in order. */
  *findings() {
    for (const chunk of this.chunks) yield* chunk.findings;
  }

  /** The chunk at a position of the text; the last one for its end. */
  chunkAt(position) {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.chunks[middle].start <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The finding at a position, ends included: the caret after a word is still at the word. */
  findingAt(position) {
    const here = this.chunkAt(position);
    for (const chunk of [this.chunks[here], this.chunks[here - 1]]) {
      const found = chunk?.findings.find((finding) => chunk.start + finding.start <= position && position <= chunk.start + finding.end);
      if (found) return found;
    }
    return null;
  }

  /** The finding with this id, if it still exists. */
  find(id) {
    for (const finding of this.findings()) if (finding.id === id) return finding;
    return null;
  }

  /** How much of the text has been checked, from 0 to 1. */
  get progress() {
    const open = this.chunks.reduce((sum, chunk) => sum + (chunk.state === "checked" ? 0 : chunk.text.length), 0);
    return this.text.length ? 1 - open / this.text.length : 1;
  }

  #chunks(text) {
    return cut(text, this.format).map((part) => {
      const chunk = new Chunk(part);
      chunk.senses = sensesIn(part, this.senses);
      return chunk;
    });
  }

  #touched(change) {
    const end = change.start + change.removed.length;
    let first = this.chunks.length ? this.chunkAt(change.start) : 0;
    // Text typed at the start of a chunk may belong to the sentence before it.
    if (first > 0 && this.chunks[first].start === change.start) first -= 1;
    let last = first;
    while (last < this.chunks.length && (this.chunks[last].start < end || last === first)) last += 1;
    // Deleting a blank line may join the next chunk to this one; a quotation that ends may split it elsewhere.
    if (this.format === "markdown" && /[`~\-<>]/.test(change.removed + change.inserted)) last = this.chunks.length;
    else if (last < this.chunks.length && /[\n"“”„«»]/.test(change.removed + change.inserted)) last += 1;
    else if (last < this.chunks.length && this.chunks[last].start === end) last += 1;
    return [first, last];
  }

  #renumber() {
    let start = 0;
    for (const chunk of this.chunks) {
      chunk.start = start;
      start += chunk.text.length;
    }
    surroundings(this.chunks, this.format).forEach(([before, after], index) => {
      const chunk = this.chunks[index];
      if (chunk.before === before && chunk.after === after) return;
      Object.assign(chunk, { before, after });
      if (chunk.text.trim()) chunk.state = "new";
    });
  }
}

/** Move the results of removed chunks, so that underlines stay in place until the new response arrives. */
function carried(gone, change) {
  const end = change.start + change.removed.length;
  const shift = change.inserted.length - change.removed.length;
  const kept = { sentences: [], findings: [] };
  for (const chunk of gone) {
    for (const name of ["sentences", "findings"]) {
      for (const item of chunk[name]) {
        const [from, to] = [chunk.start + item.start, chunk.start + item.end];
        if (to < change.start || from > end || (to === change.start && !/^\p{L}/u.test(change.inserted)) || from >= end) {
          const by = from >= end ? shift : 0;
          kept[name].push({ item, from: from + by, to: to + by });
        } else if (name === "sentences") {
          kept.sentences.push({ item, from: Math.min(from, change.start), to: Math.max(to + shift, change.start) });
        }
      }
    }
  }
  return kept;
}

function adopt(chunk, kept) {
  for (const name of ["sentences", "findings"]) {
    for (const { item, from, to } of kept[name]) {
      if (from < chunk.start || to > chunk.end || from >= to) continue;
      const by = from - chunk.start - item.start;
      const moved = { ...item, start: from - chunk.start, end: to - chunk.start };
      if (name === "findings") {
        moved.chunk = chunk;
        const shifted = (edit) => edit && { ...edit, start: edit.start + by, end: edit.end + by };
        moved.edits = item.edits.map(shifted);
        moved.deletion = shifted(item.deletion);
      }
      chunk[name].push(moved);
    }
  }
}
