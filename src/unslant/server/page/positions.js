// Converts the server's positions to the browser's. The server counts code points, JavaScript UTF-16 units; so the server
// sends the text in segments, and everything with a position names the half-open range of segments it covers.

/** Turn a report with segments into sentences and findings with UTF-16 positions into `text`. */
export function placed(report, text) {
  const units = [0];
  for (const segment of report.segments) units.push(units.at(-1) + segment.text.length);
  if (units.at(-1) !== text.length) throw new Error("the response is for another text");
  const at = ([first, last]) => ({ start: units[first], end: units[last] });
  const sentences = report.sentences.map((sentence) => ({
    ...at(sentence.segments),
    first: sentence.span.start,
    probability: sentence.probability,
    verdict: sentence.verdict,
  }));
  return {
    sentences,
    findings: report.findings.map((found) => finding(found, text, at, sentences)),
    skipped: (report.skipped ?? []).map((span) => ({ ...at(span.segments), reason: span.reason })),
    language: languageOf(report),
    sentTo: report.provenance?.sent_to ?? [],
  };
}

/** The language of a text that is not in English, as a note names it; null for English. */
function languageOf(report) {
  for (const { message } of report.notes) {
    const [, language] = message.match(/looks like (.+?)\. unslant reads English/) ?? [];
    if (language) return language;
  }
  return null;
}

/** Returns a function from code points to UTF-16 units of a text. */
export function fromCodePoints(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (point) => point;
  const units = [];
  let unit = 0;
  for (const letter of text) {
    units.push(unit);
    unit += letter.length;
  }
  units.push(unit);
  return (point) => units[point];
}

/** Returns a function from UTF-16 units to code points of a text. */
export function toCodePoints(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (unit) => unit;
  const points = new Uint32Array(text.length + 1);
  let point = 0;
  let unit = 0;
  for (const letter of text) {
    points[unit] = point;
    if (letter.length > 1) points[unit + 1] = point;
    unit += letter.length;
    point += 1;
  }
  points[unit] = point;
  return (at) => points[at];
}

function finding(found, text, at, sentences) {
  const place = at(found.segments);
  const sentence = sentences.findLast((candidate) => candidate.start <= place.start) ?? { start: 0, end: text.length, first: 0 };
  const { span, segments, edits, ...rest } = found;
  return {
    ...rest,
    ...place,
    edits: edits.map((edit) => placedEdit(edit, text, at)),
    deletion: found.deletion ? placedEdit(found.deletion, text, at) : null,
    sentence: text.slice(sentence.start, Math.max(sentence.end, place.end)),
    // In code points, for exports.
    inSentence: { start: span.start - sentence.first, end: span.end - sentence.first },
  };
}

function placedEdit(edit, text, at) {
  const { start, end } = at(edit.segments);
  return { start, end, before: text.slice(start, end), replacement: edit.replacement, applicability: edit.applicability };
}
