// Splits a text into chunks that can be checked separately, with the same findings as the whole text.
//
// A chunk includes its line ends, so all chunks joined are the text. Blank lines separate chunks, as they separate
// sentences; a quotation that continues in the next paragraph keeps both together. A chunk that is very long (a text
// pasted without blank lines) is split where a sentence certainly ends and no quotation is open.

export const LONG = 3000;
const ENOUGH = 1200;
const BLANK = /\n[^\S\n]*\n\s*/g;
const SURE_END = /(?:\p{Ll}{4,}|\p{Nd})[.!?…]["'”’)\]]{0,2}(?:[^\S\n]+(?=["“‘(]?\p{Lu})|\s*\n(?=["“‘(]?[\p{Lu}\p{Lo}]))/gu;
const OPENING = /["“„«]/;

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

function paragraphs(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(BLANK)) {
    const end = match.index + match[0].lastIndexOf("\n") + 1;
    if (end <= from || end >= text.length) continue;
    const next = text.slice(match.index + match[0].length).match(/^\s*(\S)/)?.[1] ?? "";
    if (OPENING.test(next) && end - from < LONG && quoting(text.slice(from, end))) continue;
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
  return parts;
}

/** Split a text; the parts joined are the text. */
export function cut(text) {
  return text === "" ? [] : paragraphs(text).flatMap(shorter);
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
