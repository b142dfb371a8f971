// The texts of the page, in one place: friendly, about the wording and never about the writer.

/** The kinds: a plain name, the technical one for tooltips, and what it means. */
export const KINDS = {
  framing: { title: "Loaded words", term: "framing bias", meaning: "one-sided or loaded words that take a point of view" },
  epistemological: {
    title: "Certainty and doubt",
    term: "epistemological bias",
    meaning: "wording that quietly presupposes, doubts or asserts that a claim is true",
  },
  demographic: {
    title: "People and groups",
    term: "demographic bias",
    meaning: "wording that presumes something about people because of a group they belong to",
  },
};

/** The plain name of a kind. */
export const kindTitle = (kind) => KINDS[kind]?.title ?? kind;

/** What a kind means, with its technical name. */
export const kindTip = (kind) => (KINDS[kind] ? `${KINDS[kind].term}: ${KINDS[kind].meaning}` : kind);

/** Reasons for keeping a wording, each with the label that it implies; null implies none. */
export const REASONS = [
  { name: "not-slanted", text: "Not slanted here", label: "neutral" },
  { name: "quotation", text: "A quotation", label: null },
  { name: "term", text: "The established term", label: "neutral" },
  { name: "supported", text: "The evidence is given", label: "neutral" },
  { name: "intended", text: "Meant to take a side", label: "slanted" },
];

/** What is turned off with a finding's rule; a finding without one has its kind. */
export const ruleOf = (finding) => finding.rule ?? finding.kind;

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

/** A probability with what it means, said once; it never claims certainty. */
export function sureness(probability) {
  if (probability === null || probability === undefined) return "A style rule flags these words; nobody estimated how often editors agree.";
  const share = Math.min(Math.max(Math.round(100 * probability), 1), 99);
  return `${likelihood(probability)}: editors would change about ${share} of 100 such passages.`;
}

/** What a sentence's verdict means for the writer. */
export function verdict(sentence) {
  const count = sentence.findings;
  if (count > 0) return count === 1 ? "1 finding" : `${count} findings`;
  if (sentence.verdict === "slanted") return "likely slanted as a whole";
  if (sentence.verdict === "uncertain") return "hard to tell";
  return "nothing found";
}

export function plural(count, singular, many = `${singular}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? singular : many}`;
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

/** What an edit offers: `{action, gone, words}`, where the action is "write" or "omit", and `gone` names exactly the words that go. */
export function offer(edit, finding) {
  const kept = edit.before.slice(0, Math.max(finding.start - edit.start, 0)) + edit.before.slice(finding.end - edit.start);
  const covers = edit.start <= finding.start && edit.end >= finding.end;
  if (covers && bare(kept) === bare(edit.replacement)) return { action: "omit", gone: finding.text, words: "delete" };
  const gone = deleted(edit);
  if (gone) return { action: "omit", gone, words: "delete" };
  return { action: "write", gone: edit.before.trim() || finding.text, words: edit.replacement.trim() };
}

const JOINS = "(?:[\\s,;]|\\b(?:and|but|or)\\b)+";
const LOOSE_JOINS = new RegExp(`^${JOINS}|${JOINS}$`, "giu");

/** The words that go, if an edit does no more than leave out words: of “failed miserably” → “failed”, that is “miserably”. */
function deleted({ before, replacement }) {
  const old = before.split(/\s+/).filter(Boolean);
  const now = replacement.split(/\s+/).filter(Boolean);
  if (now.length >= old.length) return "";
  let same = 0;
  while (same < now.length && old[same] === now[same]) same += 1;
  const after = now.length - same;
  if (now.slice(same).some((word, index) => word !== old[old.length - after + index])) return "";
  const words = old.slice(same, old.length - after).join(" ");
  return words.replace(LOOSE_JOINS, "") || words;
}
