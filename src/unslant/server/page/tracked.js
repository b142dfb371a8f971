// What differs between a document's text and the text on the page, as edits inside of its paragraphs, which are lines.

import { aligned, diff } from "./diff.js";
import { toCodePoints } from "./positions.js";

const MOST = 4_000_000;
const MOST_PAIRS = 10_000;

/**
 * Returns `{edits, lines, left}`: edits as the server takes them, in code points; the pairs of lines that belong together; and
 * how many lines of the two texts have no counterpart, so that their change cannot be an edit inside of a paragraph.
 */
export function editsBetween(before, after) {
  const { lines, left } = paired(before.split("\n"), after.split("\n"));
  const point = toCodePoints(before);
  const edits = [];
  for (const { old, now, start } of lines) {
    let at = start;
    let open = null;
    for (const { type, text } of old === now ? [] : diff(old, now)) {
      if (type === "same") open = null;
      else if (!open) edits.push((open = { start: at, end: at, replacement: "" }));
      if (type === "ins") open.replacement += text;
      else at += text.length;
      if (type === "del") open.end = at;
    }
  }
  return { edits: edits.map(({ start, end, replacement }) => ({ start: point(start), end: point(end), replacement })), lines, left };
}

/** Returns a function from a range of the text on the page to where the same words are in the document: `{}` if they are new. */
export function sameParts(before, after, lines) {
  const point = toCodePoints(before);
  const parts = [];
  for (const { old, now, start, place } of lines) {
    let [from, to] = [start, place];
    for (const { type, text } of old === now ? [{ type: "same", text: old }] : diff(old, now)) {
      if (type === "same") parts.push({ from, to, length: text.length });
      if (type !== "ins") from += text.length;
      if (type !== "del") to += text.length;
    }
  }
  return (start, end) => {
    const part = parts.find(({ to, length }) => start >= to && end <= to + length);
    return part ? { start: point(start - part.to + part.from), end: point(end - part.to + part.from) } : {};
  };
}

/** Pairs of lines that have at least half of their words in common, in order, as alike as possible. */
function similar(del, ins) {
  if (del.length * ins.length > MOST_PAIRS) return [];
  const words = (line) => new Set(line.text.match(/[\p{L}\p{N}]+/gu) ?? []);
  const [old, now] = [del.map(words), ins.map(words)];
  const alike = (a, b) => {
    const share = (2 * [...a].filter((word) => b.has(word)).length) / Math.max(a.size + b.size, 1);
    return share >= 0.5 ? share : 0;
  };
  const best = Array.from({ length: old.length + 1 }, () => new Float64Array(now.length + 1));
  const share = old.map((a) => now.map((b) => alike(a, b)));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], share[i][j] && share[i][j] + best[i + 1][j + 1]);
  }
  const pairs = [];
  for (let [i, j] = [0, 0]; i < old.length && j < now.length; ) {
    if (share[i][j] && best[i][j] === share[i][j] + best[i + 1][j + 1]) pairs.push([del[i++], ins[j++]]);
    else if (best[i][j] === best[i + 1][j]) i += 1;
    else j += 1;
  }
  return pairs;
}

/** Pair the lines of two texts: equal ones, and changed ones that stand between them. */
function paired(old, now) {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const [from, to] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  const same = (text) => ["same", text];
  const gone = from.map((text) => ["del", text]);
  const come = to.map((text) => ["ins", text]);
  const middle = from.length === to.length || from.length * to.length > MOST ? [...gone, ...come] : aligned(from, to);
  const lines = [];
  let left = 0;
  let [start, place] = [0, 0];
  let waiting = { del: [], ins: [] };
  const settle = () => {
    const { del, ins } = waiting;
    const pairs = del.length === ins.length ? del.map((line, index) => [line, ins[index]]) : similar(del, ins);
    for (const [line, other] of pairs) lines.push({ old: line.text, now: other.text, start: line.at, place: other.at });
    const used = new Set(pairs.flat());
    left += [...del, ...ins].filter((line) => line.text.trim() && !used.has(line)).length;
    waiting = { del: [], ins: [] };
  };
  for (const [type, text] of [...old.slice(0, head).map(same), ...middle, ...old.slice(old.length - tail).map(same)]) {
    if (type === "same") {
      settle();
      lines.push({ old: text, now: text, start, place });
    } else waiting[type].push({ text, at: type === "del" ? start : place });
    if (type !== "ins") start += text.length + 1;
    if (type !== "del") place += text.length + 1;
  }
  settle();
  return { lines, left };
}
