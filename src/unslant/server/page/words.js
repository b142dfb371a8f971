// The texts of the page, in one place: friendly, about the wording and never about the writer.

export const KINDS = {
  framing: { title: "framing", meaning: "loaded or one-sided words that take a point of view" },
  epistemological: {
    title: "epistemological",
    meaning: "wording that quietly presupposes, casts doubt on or asserts the truth of a claim",
  },
  demographic: {
    title: "demographic",
    meaning: "wording that presumes something about people because of a group they belong to",
  },
};

/** Reasons for keeping a wording, each with the label that it implies; null implies none. */
export const REASONS = [
  { name: "not-slanted", text: "Not slanted here", label: "neutral" },
  { name: "quotation", text: "A quotation", label: null },
  { name: "term", text: "The established term", label: "neutral" },
  { name: "supported", text: "The evidence is given", label: "neutral" },
  { name: "intended", text: "Meant to take a side", label: "slanted" },
];

const SURE = [
  [0.9, "Very likely slanted"],
  [0.7, "Likely slanted"],
  [0.5, "Rather likely slanted"],
  [0, "Possibly slanted"],
];

/** A probability in words; null means that there is none. */
export function likelihood(probability) {
  if (probability === null || probability === undefined) return "Flagged by a style rule";
  return SURE.find(([least]) => probability >= least)[1];
}

/** A percentage that never claims certainty. */
export function percentage(probability) {
  return `${Math.min(Math.max(Math.round(100 * probability), 1), 99)}%`;
}

/** What a sentence's verdict means for the writer. */
export function verdict(sentence) {
  const count = sentence.findings;
  if (count > 0) return count === 1 ? "1 finding" : `${count} findings`;
  if (sentence.verdict === "slanted") return likelihood(sentence.probability).toLowerCase();
  if (sentence.verdict === "uncertain") return "hard to tell";
  return "nothing found";
}

export function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** Shorten text, but never within an emoji or an accented letter. */
export function shorten(text, most = 60) {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  let kept = "";
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(line.slice(0, most + 8))) {
    if (kept.length + segment.length > most - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

const bare = (text) => text.toLowerCase().replace(/[,\s]+/g, " ").trim().replace(/\ban\b/g, "a");

/** What an edit offers: `{action, words}`, where the action is "write" or "omit". */
export function offer(edit, finding) {
  const kept = edit.before.slice(0, Math.max(finding.start - edit.start, 0)) + edit.before.slice(finding.end - edit.start);
  const covers = edit.start <= finding.start && edit.end >= finding.end;
  if (covers && bare(kept) === bare(edit.replacement)) return { action: "omit", words: "delete" };
  return { action: "write", words: edit.replacement.trim() };
}
