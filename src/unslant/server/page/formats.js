// The format of the text: by the suffix of a file, by what is pasted, or as the writer chooses.

export const FORMATS = {
  text: "Plain text",
  markdown: "Markdown",
  html: "HTML",
  wikitext: "Wikitext",
  rst: "reStructuredText",
  asciidoc: "AsciiDoc",
  latex: "LaTeX",
  org: "Org",
  email: "E-mail",
  subtitles: "Subtitles",
  paragraphs: "A paragraph per line",
};

/** Formats whose parts can be checked separately. */
export const SPLIT = ["text", "markdown", "paragraphs"];

const SUFFIXES = {
  md: "markdown", markdown: "markdown", html: "html", htm: "html", wiki: "wikitext", wikitext: "wikitext", mediawiki: "wikitext", rst: "rst", adoc: "asciidoc",
  asciidoc: "asciidoc", tex: "latex", org: "org", eml: "email", srt: "subtitles", vtt: "subtitles",
};

const SIGNS = [
  ["html", /^\s*<!doctype html|^\s*<html[\s>]|<(p|div|h[1-6]|article|section)[\s>][^]*<\/\1>/i],
  ["latex", /\\documentclass|\\begin\{document\}|\\section\{/],
  ["wikitext", /^==+[^=\n]+==+\s*$|\[\[[^\]\n]+\]\]|^\{\{|'''[^'\n]+'''/m],
  ["subtitles", /^\d+\n\d\d:\d\d:\d\d[,.]\d{3} --> /m],
  ["markdown", /^#{1,6} \S|^```|^~~~|\[[^\]\n]+\]\([^)\s]+\)|^(?:[-*+]|\d+\.) \S[^]*?\*\*\S[^\n]*\*\*/m],
];

/** The format that a file's name implies. */
export function formatOfName(name) {
  return SUFFIXES[name.toLowerCase().match(/\.([a-z]+)$/)?.[1]] ?? "text";
}

/** The format that a pasted text looks like; plain text unless there are clear signs. */
export function guessFormat(text) {
  const start = text.slice(0, 20_000);
  return SIGNS.find(([, sign]) => sign.test(start))?.[0] ?? "text";
}
