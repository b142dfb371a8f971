// What the writer decided: which suggestions were applied, which findings were dismissed, and why.

import { REASONS, ruleOf } from "./words.js";

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
    const members = edits.map(({ finding, edit, place, from }) => ({ decision: this.applied(finding, edit, place), place: place - start, from: from - start }));
    this.passages.push({ start, before, replacement: after, active: true, members });
    return members.map(({ decision }) => decision);
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
    return { all: this.all, passages: this.passages.map((passage) => ({ ...passage, members: passage.members.map(({ decision, ...rest }) => ({ ...rest, id: decision.id })) })) };
  }

  /** Take back what `toJSON` returned. */
  restore(kept) {
    this.all = kept?.all ?? [];
    count = Math.max(count, ...this.all.map((decision) => decision.id));
    const byId = new Map(this.all.map((decision) => [decision.id, decision]));
    this.passages = (kept?.passages ?? []).map((passage) => ({ ...passage, members: passage.members.map(({ id, ...rest }) => ({ ...rest, decision: byId.get(id) })) }));
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
    return this.all.filter((decision) => decision.active);
  }

  /** Follow a change of the text; the browser's undo and redo of an applied edit undo and redo the decision. */
  follow(change, text) {
    const turned = new Set();
    for (const passage of this.passages) {
      if (!turns(passage, change, text)) continue;
      for (const { decision, place, from } of passage.members) {
        decision.active = passage.active;
        decision.start = passage.start + (decision.active ? place : from);
        turned.add(decision);
      }
    }
    for (const decision of this.all) if (decision.action === "applied" && !turned.has(decision) && turns(decision, change, text)) turned.add(decision);
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
    const ignored = this.active.filter((decision) => decision.action === "ignored");
    const keys = (scope) => new Set(ignored.filter((decision) => decision.scope === scope).map((decision) => scopeKey(scope, decision.finding)));
    this.dismissed = { here: keys("here"), everywhere: keys("everywhere"), rule: keys("rule") };
    this.dispatchEvent(new Event("change"));
  }
}

const SCOPES = ["here", "everywhere", "rule"];

/** What a scope dismisses: the same words in the same sentence, the same words anywhere, or everything of a rule. */
function scopeKey(scope, finding) {
  if (scope === "rule") return ruleOf(finding);
  if (scope === "everywhere") return `${finding.rule ?? finding.kind} ${finding.text.toLowerCase().replace(/\s+/g, " ")}`;
  return finding.fingerprint;
}

/** Move a replacement along with a change; if the change is its undo or redo, toggle it and return true. */
function turns(edit, change, text) {
  if (edit.start === null) return false;
  const shift = change.inserted.length - change.removed.length;
  const end = change.start + change.removed.length;
  const [now, then] = edit.active ? [edit.replacement, edit.before] : [edit.before, edit.replacement];
  const within = change.start >= edit.start && end <= edit.start + now.length;
  if ((within && shift === then.length - now.length && text.startsWith(then, edit.start)) || returns(edit.start, now, then, change, text)) {
    edit.active = !edit.active;
    return true;
  }
  if (end <= edit.start) edit.start += shift;
  else if (change.start < edit.start + now.length) edit.start = null;
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
  return REASONS.find((reason) => reason.name === decision.reason)?.label ?? null;
}

/** A reason as text. */
export function reasonSaid(decision) {
  const known = REASONS.find((reason) => reason.name === decision.reason)?.text;
  const where = { everywhere: "everywhere", rule: "rule turned off" }[decision.scope];
  return [where, known, decision.note].filter(Boolean).join(": ");
}

/** Rows for `unslant agree`: one for each decision. */
export function judgements(decisions, annotator) {
  const rows = new Map();
  for (const decision of decisions.active) {
    if (decision.scope === "rule") continue; // about a rule, not about this sentence
    const { finding } = decision;
    rows.set(finding.fingerprint, {
      item: finding.fingerprint,
      annotator,
      task: "finding",
      label: label(decision) ?? "",
      text: finding.sentence,
      words: finding.text,
      kind: finding.kind,
      dimension: finding.dimension,
      rule: finding.rule,
      origin: finding.origin,
      probability: finding.probability,
      decision: decision.action,
      ...(decision.action === "applied" ? { replacement: decision.replacement, replaced: decision.before } : { reason: decision.reason ?? "", note: decision.note }),
    });
  }
  return [...rows.values()];
}

/** Examples for training: one for each sentence with a judgement; spans count code points. */
export function examples(decisions) {
  const sentences = new Map();
  for (const decision of decisions.active) {
    const judgement = label(decision);
    if (!judgement || decision.scope === "rule") continue;
    const { sentence } = decision.finding;
    const row = sentences.get(sentence) ?? { text: sentence, label: "neutral", spans: [] };
    sentences.set(sentence, row);
    if (judgement !== "slanted") continue;
    row.label = "slanted";
    row.spans.push({ ...decision.finding.inSentence, kind: decision.finding.kind });
  }
  return [...sentences.values()].map((row, index) => ({ id: String(index + 1), ...row }));
}
