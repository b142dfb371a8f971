// The writing view: connects the editor, the card, the list and the strip.

import { rules } from "./api.js";
import { Card } from "./card.js";
import { Checker } from "./checker.js";
import { Decisions } from "./decisions.js";
import { announce, byId, debounced, whenIdle } from "./dom.js";
import { forgetDrafts, keepDraft, keepForLater, keptDraft, leftDraft, previousDraft, setAside } from "./drafts.js";
import { Editor } from "./editor.js";
import { FindingList } from "./findings.js";
import { Fixes, applied } from "./fixes.js";
import { guessFormat } from "./formats.js";
import { askWhy } from "./keeping.js";
import { Settings } from "./settings.js";
import { showStatus } from "./status.js";
import { Strip } from "./strip.js";
import { foreign, showSummary } from "./summary.js";
import { toast } from "./toast.js";
import { kindTitle, offer, plural, ruleOf, shorten } from "./words.js";

const PAUSE = 350;
const MORE = { threshold: 0.2 };

export class Writing {
  constructor() {
    this.editor = new Editor(byId("editor"));
    this.decisions = new Decisions();
    this.fixes = new Fixes();
    this.titles = new Map();
    this.settings = new Settings();
    this.checker = new Checker(this.editor.draft, () => this.editor.inView());
    this.card = new Card(this.editor, {
      fixOf: (chunk) => this.fixes.of(chunk, this.editor.draft.format, this.checker.settings),
      titleOf: (finding) => this.titles.get(finding.rule) ?? kindTitle(finding.kind),
    });
    this.list = new FindingList();
    this.strip = new Strip(byId("strip"));
    /** The text as first entered, to compare with. */
    this.original = "";
    /** The name of the file, and the id of the Word document, that the text comes from. */
    this.name = null;
    this.document = null;
    this.editor.shown = (chunk) => chunk.findings.filter((finding) => this.isOpen(finding) && this.list.wants(finding));
    this.recheck = debounced(() => this.#recheck(), PAUSE);
    this.refresh = debounced(() => whenIdle(() => this.#refresh()), 80);
    this.keep = debounced(() => whenIdle(() => keepDraft(this.#snapshot())), 600);
    this.keepForLater = debounced(() => whenIdle(() => keepForLater(this.#snapshot())), 3_000);
    this.#wire();
    this.#restore();
    this.loadTitles();
  }

  /** What can be exported. */
  get state() {
    const findings = [...this.editor.draft.findings()].filter((finding) => this.isOpen(finding));
    const { name, document, settings } = this;
    return { text: this.editor.text, format: this.editor.draft.format, name, document, settings: settings.sent, findings, decisions: this.decisions };
  }

  /** Fetch the titles of the rules and techniques; without them, cards have the kind as their title. */
  async loadTitles() {
    this.settings.load();
    if (this.titles.size) return;
    try {
      const known = await rules();
      for (const { id, title } of [...known.rules, ...known.techniques]) this.titles.set(id, title);
    } catch {
      // The server may want a token first; then this is called again.
    }
  }

  /** Set a whole text, as from a file; the draft before it stays one click away. */
  take(text, format = "text", { name = null, document = null } = {}) {
    const before = this.#snapshot();
    this.#put({ text, format, original: text, name, document });
    if (before.text.trim() && before.text !== text) {
      setAside(before);
      this.#showPrevious();
      return { label: "Back to my draft", run: () => this.takeBack() };
    }
    return null;
  }

  /** Take back the draft that another text replaced; the two change places. */
  takeBack() {
    const draft = previousDraft();
    if (!draft) return;
    const now = this.#snapshot();
    this.#put(draft);
    setAside(now);
    this.#showPrevious();
    toast("Your earlier draft is back.");
  }

  /** Replace the whole text by an edited version of itself. */
  useText(text) {
    const { start, end, words } = changed(this.editor.text, text);
    if (start === end && !words) return;
    this.editor.replace(start, end, words);
    this.recheck.now();
  }

  setFormat(format) {
    if (format === this.editor.draft.format) return;
    this.editor.setFormat(format);
    byId("format").value = format;
    this.card.close();
    this.#keep();
    this.refresh();
    this.recheck.now();
  }

  /** Delete the text, the decisions and everything that the browser keeps of them. */
  forget() {
    const before = this.#snapshot();
    this.#put({ text: "" });
    forgetDrafts();
    import("./documents.js").then(({ forgetDocuments }) => forgetDocuments());
    this.#showPrevious();
    toast("Your texts and decisions are deleted from this browser.", before.text.trim() && { label: "Undo", run: () => this.#put(before) });
  }

  #put({ text, format = "text", original = text, decisions = null, name = null, document: id = null }) {
    this.decisions.restore(decisions);
    this.name = name;
    this.document = id;
    document.title = name ? `${name} – unslant` : "unslant";
    byId("name").textContent = name ?? "";
    for (const button of document.querySelectorAll("[data-word]")) button.hidden = !id;
    this.setFormat(format);
    this.editor.setText(text);
    this.original = original;
    this.editor.frame.scrollTop = 0;
    this.recheck.now();
  }

  #snapshot() {
    const { name, document, original } = this;
    return { text: this.editor.text, original, format: this.editor.draft.format, name, document, decisions: this.decisions.toJSON() };
  }

  #keep() {
    this.keep();
    this.keepForLater();
  }

  #showPrevious() {
    byId("previous").hidden = !previousDraft();
  }

  /** Whether the writer has not decided to keep the words, or turned the rule off. */
  isOpen(finding) {
    return !this.decisions.dismisses(finding) && !this.settings.isOff(finding);
  }

  /** Show the finding at a position of the text. */
  goTo(position) {
    location.hash = "#write";
    const finding = this.editor.draft.findingAt(position);
    // The view is shown first, so that there is something to scroll.
    if (finding) setTimeout(() => this.#choose(finding));
  }

  async #recheck() {
    const { text, draft } = this.editor;
    const detected = this.settings.detect(text, draft.format);
    // The first text waits for its profile, so that it is not checked twice.
    if (!this.settings.detected) await detected;
    await this.checker.run();
    this.#again();
  }

  /** Check again if the text changed during the check. */
  #again() {
    if (!this.checker.problem && this.editor.draft.chunks.some((chunk) => chunk.state === "new")) this.recheck();
  }

  #wire() {
    const { editor, card, list, strip, checker, decisions } = this;
    editor.addEventListener("change", ({ detail }) => this.#changed(detail));
    editor.addEventListener("hover", ({ detail }) => card.hover(detail && editor.draft.find(detail.id), detail));
    editor.addEventListener("press", ({ detail }) => (detail ? this.#show(detail) : card.close()));
    editor.addEventListener("call", ({ detail }) => (detail ? this.#show(detail, true) : announce("No finding at the cursor.")));
    editor.addEventListener("step", ({ detail }) => this.#step(detail));
    editor.frame.addEventListener("scroll", () => card.follow(), { passive: true });
    addEventListener("resize", () => card.follow());
    card.addEventListener("apply", ({ detail }) => this.#apply(detail));
    card.addEventListener("keep", ({ detail }) => this.#keepWords(detail));
    card.addEventListener("step", ({ detail }) => this.#step(detail, true));
    card.addEventListener("closed", ({ detail }) => this.#closed(detail));
    list.addEventListener("choose", ({ detail }) => this.#choose(detail));
    list.addEventListener("filter", () => this.#filter());
    this.settings.addEventListener("change", () => this.#filter());
    this.settings.addEventListener("senses", ({ detail }) => {
      editor.draft.setSenses(detail);
      this.#again();
    });
    this.settings.addEventListener("on", ({ detail }) => this.#ruleOn(detail));
    byId("forget").addEventListener("click", () => {
      byId("settings").open = false;
      this.forget();
    });
    // A tab may be closed before the pause after the last change is over.
    addEventListener("pagehide", () => {
      keepDraft(this.#snapshot());
      keepForLater(this.#snapshot());
    });
    addEventListener("beforeprint", () => this.#showAll(true));
    addEventListener("afterprint", () => this.#showAll(false));
    list.addEventListener("withdraw", ({ detail }) => this.#withdraw(detail));
    strip.addEventListener("choose", ({ detail }) => editor.show(detail.chunk, detail.start));
    checker.addEventListener("checked", ({ detail }) => this.#checked(detail));
    checker.addEventListener("state", () => {
      showStatus(this);
      // The list says whether there is still something to wait for.
      if (checker.problem) this.refresh();
    });
    decisions.addEventListener("change", () => this.#decided());
    byId("retry").addEventListener("click", () => checker.retry());
    byId("previous").addEventListener("click", () => this.takeBack());
    byId("format").addEventListener("change", (event) => this.setFormat(event.target.value));
  }

  #changed(change) {
    const { text } = this.editor;
    if (change.removed === "" && change.inserted === text && text.length > 20) {
      this.original = text;
      // A text pasted into an empty page has a format of its own.
      if (change.pasted) setTimeout(() => this.setFormat(guessFormat(text)));
    }
    this.decisions.follow(change, text);
    if (!this.card.node.hidden) this.card.close();
    byId("welcome").hidden = text !== "";
    this.refresh();
    this.#keep();
    if (change.inserted.length > 200) this.recheck.now();
    else this.recheck();
  }

  #checked(chunks) {
    this.editor.redraw(chunks);
    this.card.follow();
    this.refresh();
  }

  #decided() {
    this.list.decided(this.decisions);
    this.#keep();
    // A message about a decision that no longer stands would offer to undo it again.
    if (this.latest && !this.latest.decision.active) this.latest.close();
  }

  #filter() {
    const settings = { ...(this.list.level === 2 && MORE), ...this.settings.sent };
    if (JSON.stringify(settings) !== JSON.stringify(this.checker.settings)) {
      this.checker.settings = settings;
      this.checker.restart();
      this.recheck.now();
    }
    this.#redraw();
  }

  #redraw() {
    this.editor.redrawAll();
    this.refresh();
  }

  #refresh() {
    const { draft } = this.editor;
    const counts = {};
    const shown = [];
    const hidden = { byControls: 0, byRule: 0 };
    for (const finding of draft.findings()) {
      if (this.decisions.dismisses(finding)) continue;
      if (this.settings.isOff(finding)) hidden.byRule += 1;
      else {
        if (this.list.isCertain(finding)) counts[finding.kind] = (counts[finding.kind] ?? 0) + 1;
        if (this.list.wants(finding)) shown.push(finding);
        else hidden.byControls += 1;
      }
    }
    const language = foreign(draft);
    this.list.show(shown, counts, { hidden, progress: draft.progress, empty: draft.text.trim() === "", language, waiting: draft.progress < 1 && (this.checker.busy || !this.checker.problem) });
    showSummary(draft, this.editor.shown);
    byId("counts").textContent = plural(words(draft), "word");
    showStatus(this);
    // In a separate task, so that neither blocks typing for long.
    whenIdle(() => this.strip.show(draft, this.editor.shown));
  }

  #show(finding, focused = false) {
    this.card.open(finding, { focused });
    this.list.activate(finding.id);
  }

  #choose(finding) {
    document.body.classList.remove("panel-open");
    this.editor.reveal(finding, false);
    this.#show(finding, true);
  }

  /** Go to the next or previous finding; `into`: its card gets the keyboard focus. */
  #step(by, into = false) {
    const all = this.editor.draft.chunks.flatMap((chunk) => this.editor.shown(chunk));
    if (!all.length) return announce("No findings.");
    const place = (finding) => finding.chunk.start + finding.start;
    const here = this.card.finding ? place(this.card.finding) : this.editor.area.selectionStart - (by > 0 ? 1 : 0);
    const next = by > 0 ? (all.find((finding) => place(finding) > here) ?? all[0]) : (all.findLast((finding) => place(finding) < here) ?? all.at(-1));
    this.card.close();
    this.editor.reveal(next);
    this.#show(next, into);
    if (!into) announce(`${next.text}: ${kindTitle(next.kind)}. ${next.why} Press Control and period for suggestions.`);
  }

  #closed(back) {
    this.list.activate(null);
    if (back) this.editor.area.focus({ preventScroll: true });
  }

  /** Apply one edit, or all edits of a sentence in one step. */
  #apply({ finding, edits }) {
    const { chunk } = finding;
    const of = (edit) => chunk.findings.find((other) => edit.findings?.includes(other.fingerprint)) ?? finding;
    const from = edits[0].start;
    const until = edits.at(-1).end;
    const before = chunk.text.slice(from, until);
    const passage = applied(before, edits, from);
    const start = chunk.start + from;
    this.card.close();
    this.editor.replace(start, chunk.start + until, passage);
    let decision;
    if (edits.length === 1) decision = this.decisions.applied(of(edits[0]), edits[0], start);
    else {
      let shift = 0;
      const placed = edits.map((edit) => {
        const place = chunk.start + edit.start + shift;
        shift += edit.replacement.length - edit.before.length;
        return { finding: of(edit), edit, place, from: chunk.start + edit.start };
      });
      [decision] = this.decisions.appliedTogether(placed, start, before, passage);
    }
    // In a separate task, because a change in a long text already takes long enough.
    setTimeout(() => this.recheck.now());
    this.#tell(decision, this.#said(finding, edits), (withdrawn) => (edits.length === 1 ? this.#withdraw(withdrawn) : this.#restorePassage(withdrawn)));
  }

  #said(finding, edits) {
    if (edits.length > 1) return `Changed ${plural(edits.length, "wording")} in this sentence.`;
    const { words: now, gone, action } = offer(edits[0], finding);
    return action === "omit" ? `Deleted “${shorten(gone, 40)}”.` : `Changed to “${shorten(now, 40)}”.`;
  }

  /** A rule was turned on in the settings: the decisions that turned it off do not stand any more. */
  #ruleOn(id) {
    for (const decision of this.decisions.active) if (decision.scope === "rule" && ruleOf(decision.finding) === id) this.decisions.withdraw(decision);
    this.#redraw();
  }

  /** On paper, the list shows everything. */
  #showAll(printing) {
    this.list.showAll(printing);
    this.#refresh();
  }

  #keepWords({ finding, scope, reason = null }) {
    const decision = this.decisions.ignored(finding, scope);
    if (reason) this.decisions.explain(decision, reason);
    if (scope === "rule") this.settings.turnOff(finding, this.titles.get(finding.rule) ?? kindTitle(finding.kind));
    this.card.close(true);
    this.#redraw();
    const what = { here: "kept", everywhere: "kept everywhere", rule: "kept; the rule is off for all texts" }[scope];
    const why = !reason && { label: "Say why", stays: true, run: (node) => askWhy(node, (reason, note) => this.decisions.explain(decision, reason, note)) };
    this.#tell(decision, `“${shorten(finding.text, 40)}” ${what}${reason === "quotation" ? " as a quotation" : ""}.`, (withdrawn) => this.#withdraw(withdrawn), why);
  }

  #tell(decision, message, undo, ...more) {
    const close = toast(message, ...more, { label: "Undo", run: () => undo(decision) });
    this.latest = { decision, close };
  }

  #restorePassage(decision) {
    const passage = this.decisions.passages.find((passage) => passage.members.some((member) => member.decision === decision));
    if (!passage?.active || !this.decisions.appliesTo(passage, this.editor.text)) return this.#withdraw(decision);
    this.editor.replace(passage.start, passage.start + passage.replacement.length, passage.before);
    return this.recheck.now();
  }

  #withdraw(decision) {
    if (decision.action === "ignored") {
      this.decisions.withdraw(decision);
      if (decision.scope === "rule") this.settings.turnOn(ruleOf(decision.finding));
      this.#redraw();
      return;
    }
    if (!this.decisions.appliesTo(decision, this.editor.text)) {
      toast("The text has changed there, so this cannot be undone automatically.");
      return;
    }
    // This change is recognised as the inverse of the decision, and undoes it.
    this.editor.replace(decision.start, decision.start + decision.replacement.length, decision.before);
    if (decision.active) this.decisions.withdraw(decision);
    this.recheck.now();
  }

  #restore() {
    const kept = keptDraft() ?? {};
    // The browser may have restored the text itself after a reload.
    const text = kept.text || this.editor.area.value;
    this.#showPrevious();
    if (text) this.#put({ ...kept, text, original: kept.original || text });
    else {
      this.#refresh();
      this.#takeLeft();
    }
  }

  /** Go on with the text of a tab that was closed. */
  async #takeLeft() {
    const draft = await leftDraft().catch(() => null);
    if (!draft || this.editor.text) return;
    this.#put(draft);
    toast("Your text from last time is back.", { label: "Delete it", run: () => this.forget() });
  }
}

/** The smallest replacement that leads from one text to another. */
function changed(before, after) {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < Math.min(before.length, after.length) - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { start, end: before.length - tail, words: after.slice(start, after.length - tail) };
}

/** The number of words, cached by chunk. */
function words(draft) {
  return draft.chunks.reduce((sum, chunk) => sum + (chunk.words ??= chunk.text.match(/\S+/g)?.length ?? 0), 0);
}
