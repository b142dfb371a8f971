// Reads a pasted diff: the two versions of the passages that it shows.

import { formatOfName, guessFormat } from "./formats.js";

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const TOKENS = /<!--[^]*?-->|<(?<end>\/?)(?<tag>[a-z][a-z0-9]*)(?<rest>(?:[^>"']|"[^"]*"|'[^']*')*)>|(?<words>[^<]+|<)/gi;
const CELL = /\b(?:mw-diff-inline-(header|context|changed|added|deleted|moved)|diff-(lineno|context|addedline|deletedline))\b/;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

/** The versions in a pasted diff as `{ before, after, format }`; null if what is pasted is no diff. */
export function versionsOf(html, text) {
  return fromWiki(html) ?? fromUnified(text);
}

/**
 * A diff copied from a page of MediaWiki, with two columns or inline. The page's policy lets no script parse HTML, and a
 * browser's clipboard is regular: its tags are closed, and few characters are escaped.
 */
function fromWiki(html) {
  if (!CELL.test(html)) return null;
  const sides = new Sides();
  const row = { cells: new Set(), kind: null, old: "", fresh: "", inside: "" };
  for (const { groups } of html.matchAll(TOKENS)) {
    const tag = groups.tag?.toLowerCase();
    const cell = !groups.end && (tag === "td" || tag === "div") ? groups.rest.match(CELL) : null;
    if (cell || tag === "td" || tag === "tr") finish(row, sides);
    if (tag === "tr") row.cells.clear();
    if (cell) row.kind = cell[1] === "context" ? "changed" : (cell[1] ?? cell[2]);
    else if (tag === "ins" || tag === "del") row.inside = groups.end ? "" : tag;
    else if (groups.words && row.kind) {
      if (row.inside !== "ins") row.old += groups.words;
      if (row.inside !== "del") row.fresh += groups.words;
    }
  }
  finish(row, sides);
  return sides.versions(() => "wikitext");
}

/** A line of the diff is complete; in two columns, what both versions have comes twice. */
function finish(row, sides) {
  const { kind, old, fresh, cells } = row;
  Object.assign(row, { kind: null, old: "", fresh: "" });
  if (!kind || cells.has(kind)) return;
  if (kind === "lineno" || kind === "context") cells.add(kind);
  if (kind === "lineno" || kind === "header") sides.part();
  else sides.add(kind.startsWith("added") ? null : plain(old), kind.startsWith("deleted") ? null : plain(fresh));
}

const plain = (written) =>
  written
    .replace(/^\s*\n|\n\s*$/g, "")
    .replace(/&(?:#(\d{1,7})|(\w{2,4}));/g, (whole, number, name) => (number ? String.fromCodePoint(Math.min(Number(number), 0x10ffff)) : ENTITIES[name]) ?? whole)
    .replaceAll("\u00a0", " ");

/** The output of `git diff` or `diff -u`. */
function fromUnified(text) {
  const sides = new Sides();
  let [old, fresh, name] = [0, 0, ""];
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const hunk = line.match(HUNK);
    if (old > 0 || fresh > 0) {
      const [sign, words] = [line[0] ?? " ", line.slice(1)];
      if (sign === "\\") continue;
      if (!" -+".includes(sign)) return null;
      if (sign !== "+") old -= 1;
      if (sign !== "-") fresh -= 1;
      sides.add(sign === "+" ? null : words, sign === "-" ? null : words);
    } else if (hunk) {
      [old, fresh] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      sides.part();
    } else if (line.startsWith("+++ ")) {
      name ||= line.slice(4).split("\t")[0];
    }
  }
  return sides.versions((after) => (/\.[a-z]+$/i.test(name) ? formatOfName(name) : guessFormat(after)));
}

class Sides {
  before = [];
  after = [];

  /** Add a line to each side that has it. */
  add(before, after) {
    if (before !== null) this.before.push(before);
    if (after !== null) this.after.push(after);
  }

  /** Passages that are apart in the page stay apart. */
  part() {
    for (const side of [this.before, this.after]) if (side.length) side.push("");
  }

  versions(formatOf) {
    if (!this.before.length && !this.after.length) return null;
    const [before, after] = [this.before, this.after].map((lines) => (lines.length ? `${lines.join("\n")}\n` : ""));
    return { before, after, format: formatOf(after) };
  }
}
