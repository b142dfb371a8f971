// What the writer decided: which suggestions were applied, which findings were set aside, and why.

import { REASONS } from "./words.js";

let count = 0;

export class Decisions extends EventTarget {
  constructor() {
    super();
    this.all = [];
    /** Fingerprints of what was set aside: the same words in the same sentence are the same finding. */
    this.aside = new Set();
  }

  /** Remember that an edit was applied: `start` is where its new words begin in the text. */
  applied(finding, edit, start) {
    const { before, replacement } = edit;
    this.#add({ action: "applied", finding: snapshot(finding), before, replacement, start, standing: true });
    return this.all.at(-1);
  }

  /** Remember that a finding is set aside; `reason` is a name out of REASONS or "other", `note` the writer's own words. */
  ignored(finding, reason, note = "") {
    this.#add({ action: "ignored", finding: snapshot(finding), reason, note, standing: true });
    return this.all.at(-1);
  }

  /** Take a decision back. */
  withdraw(decision) {
    decision.standing = false;
    this.#tell();
  }

  /** Say whether the new words of an applied edit still stand where they were put. */
  standsIn(decision, text) {
    return decision.start !== null && text.slice(decision.start, decision.start + decision.replacement.length) === decision.replacement;
  }

  get standing() {
    return this.all.filter((one) => one.standing);
  }

  /** Follow a change of the text; the browser's own undo and redo of an applied edit count as taking it back, and not. */
  follow(change, text) {
    const shift = change.inserted.length - change.removed.length;
    const end = change.start + change.removed.length;
    let changed = false;
    for (const one of this.all) {
      if (one.action !== "applied" || one.start === null) continue;
      const [now, then] = one.standing ? [one.replacement, one.before] : [one.before, one.replacement];
      const within = change.start >= one.start && end <= one.start + now.length;
      if (within && shift === then.length - now.length && text.startsWith(then, one.start)) {
        one.standing = !one.standing;
        changed = true;
      } else if (end <= one.start) one.start += shift;
      else if (change.start < one.start + now.length) one.start = null;
    }
    if (changed) this.#tell();
  }

  clear() {
    this.all = [];
    this.#tell();
  }

  #add(decision) {
    count += 1;
    this.all.push({ id: count, ...decision });
    this.#tell();
  }

  #tell() {
    this.aside = new Set(this.standing.filter((one) => one.action === "ignored").map((one) => one.finding.fingerprint));
    this.dispatchEvent(new Event("change"));
  }
}

function snapshot({ chunk, ...finding }) {
  return { ...finding, edits: finding.edits.map((edit) => ({ ...edit })) };
}

/** What a decision says of the wording: `slanted`, `neutral`, or null if it says nothing of it. */
export function label(decision) {
  if (decision.action === "applied") return "slanted";
  return REASONS.find((one) => one.name === decision.reason)?.label ?? null;
}

/** A reason in words. */
export function reasonSaid(decision) {
  const known = REASONS.find((one) => one.name === decision.reason)?.said;
  return [known, decision.note].filter(Boolean).join(": ");
}

/** Rows for `unslant agree`: one for each finding that was decided on. */
export function judgements(decisions, annotator) {
  const rows = new Map();
  for (const one of decisions.standing) {
    const { finding } = one;
    rows.set(finding.fingerprint, {
      item: finding.fingerprint,
      annotator,
      task: "finding",
      label: label(one) ?? "",
      text: finding.sentence,
      words: finding.text,
      kind: finding.kind,
      dimension: finding.dimension,
      rule: finding.rule,
      origin: finding.origin,
      probability: finding.probability,
      decision: one.action,
      ...(one.action === "applied" ? { replacement: one.replacement, replaced: one.before } : { reason: one.reason, note: one.note }),
    });
  }
  return [...rows.values()];
}

/** Examples for training: one for each sentence about which the decisions say something; spans count code points. */
export function examples(decisions) {
  const sentences = new Map();
  for (const one of decisions.standing) {
    const said = label(one);
    if (!said) continue;
    const { sentence } = one.finding;
    const row = sentences.get(sentence) ?? { text: sentence, label: "neutral", spans: [] };
    sentences.set(sentence, row);
    if (said !== "slanted") continue;
    row.label = "slanted";
    row.spans.push({ ...one.finding.inSentence, kind: one.finding.kind });
  }
  return [...sentences.values()].map((row, index) => ({ id: String(index + 1), ...row }));
}
