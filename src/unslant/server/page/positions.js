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
  return { sentences, findings: report.findings.map((found) => finding(found, text, at, sentences)) };
}

function finding(found, text, at, sentences) {
  const place = at(found.segments);
  const sentence = sentences.findLast((one) => one.start <= place.start) ?? { start: 0, end: text.length, first: 0 };
  const { span, segments, edits, ...rest } = found;
  return {
    ...rest,
    ...place,
    edits: edits.map((edit) => placedEdit(edit, text, at)),
    sentence: text.slice(sentence.start, Math.max(sentence.end, place.end)),
    // In code points, for exports.
    inSentence: { start: span.start - sentence.first, end: span.end - sentence.first },
  };
}

function placedEdit(edit, text, at) {
  const { start, end } = at(edit.segments);
  return { start, end, before: text.slice(start, end), replacement: edit.replacement, applicability: edit.applicability };
}
