// Splits a text into chunks that can be checked separately, with the same findings as the whole text.
//
// A chunk includes its line ends, so all chunks joined are the text. Blank lines separate chunks, as they separate
// sentences; a block of Markdown that contains blank lines stays together. A chunk that is very long (a text pasted without
// blank lines) is split where a sentence certainly ends and no quotation is open, and at a space if no sentence ends for a
// long time. In the text of office documents, a line is a paragraph. Other formats are one chunk, because only a parser knows where their blocks end.
//
// What a chunk means may depend on what stands around it: the opening mark of the next paragraph says that a quotation goes
// on, and an inline ignore may cover several paragraphs. `surroundings` says what the server must read with each chunk.

import { SPLIT } from "./formats.js";

export const LONG = 3000;
const ENOUGH = 1200;
const ENDLESS = 8_000;
const BLANK = /\n[^\S\n]*\n\s*/g;
const LINE = /\n\s*/g;
// Looks back instead of matching the word, so that every character is looked at a bounded number of times.
const SURE_END = /(?<=\p{Ll}{4}|\p{Nd})[.!?…]["'”’)\]]{0,2}(?:[^\S\n]+(?=["“‘(]?\p{Lu})|\s{0,20}\n(?=["“‘(]?[\p{Lu}\p{Lo}]))/gu;
const MARKS = /["“”„‟«»‹›]|``|''/;
const OPENS = /^[\s>*_#+\-]*(?:\d+[.)]\s+)?(?:["“„‟«‹»›]|``|'')/;
const PARTED = /\n[^\S\n]*\n\s*$/;
const IGNORES = /<!--\s*unslant:\s*(ignore-block|end-ignore|ignore-file)\b[^]*?-->|^[ \t]*(?:#{1,8}|\/{2,8}|%{1,8}|;{1,8})[ \t]*unslant:[ \t]*(ignore-block|end-ignore|ignore-file)\b.*$/gm;
const FAR = 8000;
// The end of a post, or the speaker of words in quotation marks, may stand in the sentences beside a chunk.
const NEAR = 400;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Returns whether a double quotation mark is open at the end of the text. */
export function quoting(text) {
  let straight = false;
  let depth = 0;
  for (const mark of text.match(/["“”„«»]/g) ?? []) {
    if (mark === '"') straight = !straight;
    else if (mark === "”" || mark === "»") depth = Math.max(depth - 1, 0);
    else depth += 1;
  }
  return straight || depth > 0;
}

/** Returns whether a block of Markdown is open at the end of the text: a fence, a comment, or the data at the top. */
function blockOpen(text) {
  let fence = null;
  for (const line of text.split("\n")) {
    const [, marks] = line.match(FENCE) ?? [];
    if (fence && marks?.startsWith(fence) && line.trim() === marks) fence = null;
    else if (!fence && marks) fence = marks;
  }
  const comment = text.lastIndexOf("<!--") > text.lastIndexOf("-->");
  return fence !== null || comment || (/^---\n/.test(text) && !/^---\n[^]*?\n(---|\.\.\.)\s*(\n|$)/.test(text));
}

function paragraphs(text, format) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(format === "paragraphs" ? LINE : BLANK)) {
    const end = match.index + match[0].lastIndexOf("\n") + 1;
    if (end <= from || end >= text.length) continue;
    // An indented line belongs to the list item above it; a code block may have blank lines.
    if (format === "markdown" && end - from < 10 * LONG && (/\s/.test(text[end]) || blockOpen(text.slice(from, end)))) continue;
    parts.push(text.slice(from, end));
    from = end;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

function shorter(paragraph) {
  if (paragraph.length <= LONG) return [paragraph];
  const parts = [];
  let from = 0;
  for (const match of paragraph.matchAll(SURE_END)) {
    const end = match.index + match[0].length;
    if (end - from < ENOUGH || paragraph.length - end < ENOUGH / 4) continue;
    if (end - from < 2 * LONG && quoting(paragraph.slice(from, end))) continue;
    parts.push(paragraph.slice(from, end));
    from = end;
  }
  parts.push(paragraph.slice(from));
  return parts.flatMap(bounded);
}

/** Split a text in which no sentence ends for a long time: at a space, or between two letters if there is none. */
function bounded(text) {
  const parts = [];
  let from = 0;
  while (text.length - from > ENDLESS) {
    const space = text.lastIndexOf(" ", from + ENDLESS);
    let end = space > from ? space + 1 : from + ENDLESS;
    if (isLow(text.charCodeAt(end))) end -= 1;
    parts.push(text.slice(from, end));
    from = end;
  }
  parts.push(text.slice(from));
  return parts;
}

/** Split a text; the parts joined are the text. */
export function cut(text, format = "text") {
  if (text === "") return [];
  if (format === "text" || format === "paragraphs") return paragraphs(text, format).flatMap(shorter);
  return format === "markdown" ? paragraphs(text, format) : [text];
}

/** A text without what stands far from its quotation marks, so that a change elsewhere in it leaves this the same. */
const skeleton = (text) => text.replace(/[^"“”„‟«»‹›'‘’`]{16,}/g, (run) => `${run.slice(0, 2)} x ${run.slice(-10)}`);

/**
 * What the server must read before and after each chunk to judge it as in the whole text: `[before, after]` for each.
 *
 * Quotation marks are paired inside a paragraph, so the parts of one that was split need the marks of the other parts. A
 * mark that is never closed quotes to the end of its paragraph if the next one opens with a mark.
 */
export function surroundings(chunks, format) {
  const around = chunks.map(() => ["", ""]);
  if (!SPLIT.includes(format)) return around;
  const ended = format === "paragraphs" ? /\n\s*$/ : PARTED;
  let far = "";
  let near = "";
  for (let index = chunks.length - 1; index >= 0; index -= 1) {
    const { text } = chunks[index];
    const parted = ended.test(text);
    const [opening] = (parted && chunks[index + 1]?.text.match(OPENS)) || [];
    if (parted) far = near = opening ? `${opening}x` : "";
    if (!parted || MARKS.test(text)) around[index][1] = near;
    near = (text.slice(0, NEAR) + skeleton(text.slice(NEAR)) + far).slice(0, FAR);
    far = (skeleton(text) + far).slice(0, FAR);
  }
  far = near = "";
  chunks.forEach(({ text }, index) => {
    around[index][0] = near;
    const parted = ended.test(text);
    near = parted ? "" : (far + skeleton(text.slice(0, -NEAR)) + text.slice(-NEAR)).slice(-FAR);
    far = parted ? "" : (far + skeleton(text)).slice(-FAR);
  });
  addIgnores(chunks, around);
  return around;
}

/** Add the inline ignores in other chunks that cover more than a line. */
function addIgnores(chunks, around) {
  const found = chunks.flatMap(({ text }, index) =>
    text.includes("unslant:") ? [...text.matchAll(IGNORES)].map(([comment, first, second]) => ({ comment, index, whole: (first ?? second) === "ignore-file" })) : [],
  );
  if (!found.length) return;
  around.forEach((both, here) => {
    const above = found.filter(({ index }) => index < here).map(({ comment }) => `${comment}\n\n`);
    const below = found.filter(({ index, whole }) => whole && index > here).map(({ comment }) => `\n\n${comment}`);
    both[0] = above.join("") + both[0];
    both[1] += below.join("");
  });
}

/** The words of a text's `senses` that stand in one of its chunks, so that a change of others leaves the chunk as it is. */
export function sensesIn(text, senses) {
  if (!senses) return null;
  const lower = text.toLowerCase();
  const here = (words) => words.filter((word) => word.split(" ").every((part) => lower.includes(part.toLowerCase())));
  return Object.fromEntries(Object.entries(senses).map(([kind, words]) => [kind, here(words)]));
}

/** Where two texts differ: `{start, removed, inserted}`, never between the halves of a surrogate pair. */
export function difference(before, after) {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  if (start > 0 && isHigh(before.charCodeAt(start - 1))) start -= 1;
  let tail = 0;
  while (tail < least - start && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail += 1;
  if (tail > 0 && isLow(before.charCodeAt(before.length - tail))) tail -= 1;
  return { start, removed: before.slice(start, before.length - tail), inserted: after.slice(start, after.length - tail) };
}

const isHigh = (unit) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit) => unit >= 0xdc00 && unit <= 0xdfff;
