// What the writer decided: which suggestions were applied, which findings were dismissed, and why.

import { REASONS } from "./words.js";

let count = 0;

export class Decisions extends EventTarget {
  constructor() {
    super();
    this.all = [];
    /** Passages in which several edits were applied in one step, to be undone in one step. */
    this.passages = [];
    /** What is not reported any more: single findings, wordings and rules. */
    this.dismissed = { here: new Set(), everywhere: new Set(), rule: new Set() };
  }

  /** Whether a finding was dismissed: by itself, with its wording everywhere, or with its rule. */
  dismisses(finding) {
    return SCOPES.some((scope) => this.dismissed[scope].size > 0 && this.dismissed[scope].has(scopeKey(scope, finding)));
  }

  /** Record that an edit was applied; `start` is the position of its new words. */
  applied(finding, edit, start) {
    const { before, replacement } = edit;
    this.#add({ action: "applied", finding: snapshot(finding), before, replacement, start, active: true });
    return this.all.at(-1);
  }

  /** Record edits that were applied in one step: `[{finding, edit, place, from}]`, positions after and before it. */
  appliedTogether(edits, start, before, after) {
    const members = edits.map(({ finding, edit, place, from }) => ({ one: this.applied(finding, edit, place), place: place - start, from: from - start }));
    this.passages.push({ start, before, replacement: after, active: true, members });
    return members.map(({ one }) => one);
  }

  /** Record that a finding was dismissed: "here", its wording "everywhere", or its "rule"; the reason can come later. */
  ignored(finding, scope = "here") {
    this.#add({ action: "ignored", finding: snapshot(finding), scope, reason: null, note: "", active: true });
    return this.all.at(-1);
  }

  /** Say why; `reason` is a name in REASONS or "other", `note` the writer's own reason. */
  explain(decision, reason, note = "") {
    Object.assign(decision, { reason, note });
    this.#emit();
  }

  /** As plain data, to be kept over a reload. */
  toJSON() {
    return { all: this.all, passages: this.passages.map((one) => ({ ...one, members: one.members.map(({ one: member, ...rest }) => ({ ...rest, id: member.id })) })) };
  }

  /** Take back what `toJSON` returned. */
  restore(kept) {
    this.all = kept?.all ?? [];
    count = Math.max(count, ...this.all.map((one) => one.id));
    const byId = new Map(this.all.map((one) => [one.id, one]));
    this.passages = (kept?.passages ?? []).map((one) => ({ ...one, members: one.members.map(({ id, ...rest }) => ({ ...rest, one: byId.get(id) })) }));
    this.#emit();
  }

  /** Undo a decision. */
  withdraw(decision) {
    decision.active = false;
    this.#emit();
  }

  /** Returns whether the new words of an applied edit are still in place. */
  appliesTo(decision, text) {
    return decision.start !== null && text.slice(decision.start, decision.start + decision.replacement.length) === decision.replacement;
  }

  get active() {
    return this.all.filter((one) => one.active);
  }

  /** Follow a change of the text; the browser's undo and redo of an applied edit undo and redo the decision. */
  follow(change, text) {
    const turned = new Set();
    for (const passage of this.passages) {
      if (!turns(passage, change, text)) continue;
      for (const { one, place, from } of passage.members) {
        one.active = passage.active;
        one.start = passage.start + (one.active ? place : from);
        turned.add(one);
      }
    }
    for (const one of this.all) if (one.action === "applied" && !turned.has(one) && turns(one, change, text)) turned.add(one);
    if (turned.size) this.#emit();
  }

  clear() {
    this.all = [];
    this.passages = [];
    this.#emit();
  }

  #add(decision) {
    count += 1;
    this.all.push({ id: count, ...decision });
    this.#emit();
  }

  #emit() {
    const ignored = this.active.filter((one) => one.action === "ignored");
    const keys = (scope) => new Set(ignored.filter((one) => one.scope === scope).map((one) => scopeKey(scope, one.finding)));
    this.dismissed = { here: keys("here"), everywhere: keys("everywhere"), rule: keys("rule") };
    this.dispatchEvent(new Event("change"));
  }
}

const SCOPES = ["here", "everywhere", "rule"];

/** What a scope dismisses: the same words in the same sentence, the same words anywhere, or everything of a rule. */
function scopeKey(scope, finding) {
  if (scope === "rule") return finding.rule ?? finding.kind;
  if (scope === "everywhere") return `${finding.rule ?? finding.kind} ${finding.text.toLowerCase().replace(/\s+/g, " ")}`;
  return finding.fingerprint;
}

/** Move a replacement along with a change; if the change is its undo or redo, toggle it and return true. */
function turns(one, change, text) {
  if (one.start === null) return false;
  const shift = change.inserted.length - change.removed.length;
  const end = change.start + change.removed.length;
  const [now, then] = one.active ? [one.replacement, one.before] : [one.before, one.replacement];
  const within = change.start >= one.start && end <= one.start + now.length;
  if ((within && shift === then.length - now.length && text.startsWith(then, one.start)) || returns(one.start, now, then, change, text)) {
    one.active = !one.active;
    return true;
  }
  if (end <= one.start) one.start += shift;
  else if (change.start < one.start + now.length) one.start = null;
  return false;
}

/** Whether a change puts deleted words back, or deletes them again, though the texts also differ in the words beside them. */
function returns(start, now, then, change, text) {
  const length = now.length + then.length;
  if ((now && then) || !length || change.start < start || change.start > start + length) return false;
  const moved = text.slice(start, change.start);
  if (now) {
    const old = moved + change.removed;
    return change.inserted === "" && change.removed.length === length && old.startsWith(now) && old.slice(length) === moved;
  }
  return change.removed === "" && change.inserted.length === length && text.startsWith(then, start) && moved === text.slice(start + length, change.start + length);
}

function snapshot({ chunk, ...finding }) {
  return { ...finding, edits: finding.edits.map((edit) => ({ ...edit })) };
}

/** The label that a decision implies: `slanted`, `neutral`, or null. */
export function label(decision) {
  if (decision.action === "applied") return "slanted";
  return REASONS.find((one) => one.name === decision.reason)?.label ?? null;
}

/** A reason as text. */
export function reasonSaid(decision) {
  const known = REASONS.find((one) => one.name === decision.reason)?.text;
  const where = { everywhere: "everywhere", rule: "rule turned off" }[decision.scope];
  return [where, known, decision.note].filter(Boolean).join(": ");
}

/** Rows for `unslant agree`: one for each decision. */
export function judgements(decisions, annotator) {
  const rows = new Map();
  for (const one of decisions.active) {
    if (one.scope === "rule") continue; // about a rule, not about this sentence
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
      ...(one.action === "applied" ? { replacement: one.replacement, replaced: one.before } : { reason: one.reason ?? "", note: one.note }),
    });
  }
  return [...rows.values()];
}

/** Examples for training: one for each sentence with a judgement; spans count code points. */
export function examples(decisions) {
  const sentences = new Map();
  for (const one of decisions.active) {
    const judgement = label(one);
    if (!judgement || one.scope === "rule") continue;
    const { sentence } = one.finding;
    const row = sentences.get(sentence) ?? { text: sentence, label: "neutral", spans: [] };
    sentences.set(sentence, row);
    if (judgement !== "slanted") continue;
    row.label = "slanted";
    row.spans.push({ ...one.finding.inSentence, kind: one.finding.kind });
  }
  return [...sentences.values()].map((row, index) => ({ id: String(index + 1), ...row }));
}
