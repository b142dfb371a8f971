// The summary above the list: how many sentences are slanted, unclear and clear, in words and as one bar.

import { byId, el } from "./dom.js";
import { plural } from "./words.js";

/** Count the sentences of a draft: likely slanted, hard to tell, clear; without the model, those with and without findings. */
export function counted(draft, shown) {
  const sums = { slanted: 0, uncertain: 0, clear: 0, total: 0, judged: false };
  for (const chunk of draft.chunks) {
    const found = shown(chunk);
    for (const sentence of chunk.sentences) {
      const flagged = found.some((finding) => finding.start >= sentence.start && finding.start < sentence.end);
      sums.judged ||= sentence.verdict !== null;
      sums.total += 1;
      if (sentence.verdict === "slanted" || (sentence.verdict === null && flagged)) sums.slanted += 1;
      else if (sentence.verdict === "uncertain" || flagged) sums.uncertain += 1;
      else sums.clear += 1;
    }
  }
  return sums;
}

/** The language of most of a draft if it is not English; null otherwise. */
export function foreign(draft) {
  const lengths = new Map();
  for (const chunk of draft.chunks) lengths.set(chunk.language, (lengths.get(chunk.language) ?? 0) + chunk.text.trim().length);
  const [language, length] = [...lengths].toSorted(([, a], [, b]) => b - a)[0] ?? [null, 0];
  return language && 2 * length >= draft.text.trim().length ? language : null;
}

/** The summary in words. */
export function summed({ slanted, uncertain, clear, total, judged }) {
  if (!total) return "";
  if (!judged) return `${slanted} of ${plural(total, "sentence")} with findings, ${clear + uncertain} without`;
  return `${slanted} of ${plural(total, "sentence")} likely slanted, ${uncertain} hard to tell, ${clear} clear`;
}

/** Show the summary. */
export function showSummary(draft, shown) {
  const sums = counted(draft, shown);
  const node = byId("summary");
  const language = foreign(draft);
  node.hidden = !sums.total || language !== null;
  if (node.hidden) return;
  byId("summary-words").textContent = summed(sums);
  const part = (name) => {
    const piece = el("span", { className: `part ${name}` });
    piece.style.flexGrow = String(sums[name]);
    piece.hidden = !sums[name];
    return piece;
  };
  byId("summary-bar").replaceChildren(part("slanted"), part("uncertain"), part("clear"));
}
