// The writing view: connects the editor, the card, the list and the strip.

import { Card } from "./card.js";
import { Checker } from "./checker.js";
import { Decisions } from "./decisions.js";
import { announce, byId, debounced, whenIdle } from "./dom.js";
import { Editor } from "./editor.js";
import { FindingList } from "./findings.js";
import { Strip } from "./strip.js";
import { toast } from "./toast.js";
import { offer, plural, shorten } from "./words.js";

const DRAFT = "unslant-draft";
const PAUSE = 350;
const LONG = 20_000;

export class Writing {
  constructor() {
    this.editor = new Editor(byId("editor"));
    this.decisions = new Decisions();
    this.checker = new Checker(this.editor.draft, () => this.editor.inView());
    this.card = new Card(this.editor);
    this.list = new FindingList();
    this.strip = new Strip(byId("strip"));
    /** The text as first entered, to compare with. */
    this.original = "";
    this.editor.shown = (chunk) => chunk.findings.filter((one) => this.#open(one) && !this.list.hidden.has(one.kind));
    this.recheck = debounced(() => this.checker.run().then(() => this.#again()), PAUSE);
    this.refresh = debounced(() => whenIdle(() => this.#refresh()), 80);
    this.keep = debounced(() => whenIdle(() => this.#keep()), 1_000);
    this.#wire();
    this.#restore();
  }

  /** What can be exported. */
  get state() {
    const findings = [...this.editor.draft.findings()].filter((one) => this.#open(one));
    return { text: this.editor.text, findings, decisions: this.decisions };
  }

  /** Set a whole text, as from a file. */
  take(text) {
    this.decisions.clear();
    this.original = text;
    this.editor.setText(text);
    this.editor.frame.scrollTop = 0;
    this.recheck.now();
  }

  #open(finding) {
    return !this.decisions.dismissed.has(finding.fingerprint);
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
    card.addEventListener("ignore", ({ detail }) => this.#ignore(detail));
    card.addEventListener("step", ({ detail }) => this.#step(detail, true));
    card.addEventListener("closed", ({ detail }) => this.#closed(detail));
    list.addEventListener("choose", ({ detail }) => this.#choose(detail));
    list.addEventListener("filter", () => this.#redraw());
    list.addEventListener("apply-safe", () => this.#applySafe());
    list.addEventListener("withdraw", ({ detail }) => this.#withdraw(detail));
    strip.addEventListener("choose", ({ detail }) => editor.show(detail.chunk, detail.start));
    checker.addEventListener("checked", ({ detail }) => this.#checked(detail));
    checker.addEventListener("state", () => this.#status());
    decisions.addEventListener("change", () => list.decided(decisions));
  }

  #changed(change) {
    const { text } = this.editor;
    if (change.removed === "" && change.inserted === text && text.length > 20) this.original = text;
    this.decisions.follow(change, text);
    if (!this.card.node.hidden) this.card.close();
    byId("welcome").hidden = text !== "";
    this.refresh();
    this.keep();
    if (change.inserted.length > 200) this.recheck.now();
    else this.recheck();
  }

  #checked(chunks) {
    this.editor.redraw(chunks);
    this.card.follow();
    this.refresh();
  }

  #redraw() {
    this.editor.redrawAll();
    this.refresh();
  }

  #refresh() {
    const { draft } = this.editor;
    const dismissed = this.decisions.dismissed;
    const counts = {};
    const shown = [];
    for (const one of draft.findings()) {
      if (dismissed.has(one.fingerprint)) continue;
      counts[one.kind] = (counts[one.kind] ?? 0) + 1;
      if (!this.list.hidden.has(one.kind)) shown.push(one);
    }
    this.list.show(shown, counts, { safe: safe(shown).length, progress: draft.progress, empty: draft.text.trim() === "" });
    byId("counts").textContent = plural(words(draft), "word");
    this.#status();
    // In a separate task, so that neither blocks typing for long.
    whenIdle(() => this.strip.show(draft, this.editor.shown));
  }

  #status() {
    const { draft } = this.editor;
    const state = byId("state");
    state.classList.toggle("trouble", Boolean(this.checker.problem));
    const reading = draft.progress < 1 ? `Checking … ${Math.floor(100 * draft.progress)}%` : "Checking …";
    const status = this.checker.problem ?? (this.checker.busy || draft.progress < 1 ? reading : draft.text.trim() ? "Checked" : "");
    if (state.textContent !== status) state.textContent = status;
    if (this.checker.needsToken && !byId("token").open) byId("token").showModal();
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
    const place = (one) => one.chunk.start + one.start;
    const here = this.card.finding ? place(this.card.finding) : this.editor.area.selectionStart - (by > 0 ? 1 : 0);
    const next = by > 0 ? (all.find((one) => place(one) > here) ?? all[0]) : (all.findLast((one) => place(one) < here) ?? all.at(-1));
    this.card.close();
    this.editor.reveal(next);
    this.#show(next, into);
    if (!into) announce(`${next.text}: ${next.kind}. ${next.why} Press Control and period for suggestions.`);
  }

  #closed(back) {
    this.list.activate(null);
    if (back) this.editor.area.focus({ preventScroll: true });
  }

  #apply({ finding, edit }) {
    const start = finding.chunk.start + edit.start;
    const { words: now, action } = offer(edit, finding);
    this.card.close();
    this.editor.replace(start, finding.chunk.start + edit.end, edit.replacement);
    const decision = this.decisions.applied(finding, edit, start);
    // In a separate task, because a change in a long text already takes long enough.
    setTimeout(() => this.recheck.now());
    const message = action === "omit" ? `Deleted “${shorten(finding.text, 40)}”.` : `Changed to “${shorten(now, 40)}”.`;
    toast(message, { label: "Undo", run: () => this.#withdraw(decision) });
  }

  #ignore({ finding, reason, note }) {
    const decision = this.decisions.ignored(finding, reason, note);
    this.card.close(true);
    this.#redraw();
    toast(`“${shorten(finding.text, 40)}” kept.`, { label: "Undo", run: () => this.#withdraw(decision) });
  }

  #withdraw(decision) {
    if (decision.action === "ignored") {
      this.decisions.withdraw(decision);
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

  /** Apply every safe first suggestion, in one step that can be undone at once. */
  #applySafe() {
    const { draft } = this.editor;
    const picked = safe(draft.chunks.flatMap((chunk) => this.editor.shown(chunk)));
    if (!picked.length) return;
    const from = picked[0].start;
    const until = picked.at(-1).end;
    let passage = "";
    let at = from;
    const placed = picked.map(({ finding, edit, start, end }) => {
      passage += draft.text.slice(at, start);
      const place = from + passage.length;
      passage += edit.replacement;
      at = end;
      return { finding, edit, place, from: start };
    });
    this.card.close();
    const before = draft.text;
    // Browsers take seconds to insert a long passage with many lines as if typed; so it is set directly, with its own undo.
    const long = passage.length > LONG;
    if (long) this.editor.setText(before.slice(0, from) + passage + before.slice(until));
    else this.editor.replace(from, until, passage);
    const after = this.editor.text;
    const made = this.decisions.appliedTogether(placed, from, before.slice(from, until), passage);
    this.recheck.now();
    const undo = () => (long && this.editor.text === after ? this.#goBack(before, made) : made.toReversed().forEach((one) => this.#withdraw(one)));
    toast(`Applied ${plural(made.length, "safe suggestion")}.`, { label: "Undo", run: undo });
  }

  #goBack(text, made) {
    this.editor.setText(text);
    for (const one of made) if (one.active) this.decisions.withdraw(one);
    this.recheck.now();
  }

  #keep() {
    try {
      sessionStorage.setItem(DRAFT, JSON.stringify({ text: this.editor.text, original: this.original }));
    } catch {
      // A draft that is too large to store is still on the screen.
    }
  }

  #restore() {
    const kept = JSON.parse(sessionStorage.getItem(DRAFT) ?? "{}");
    // The browser may have restored the text itself after a reload.
    const text = kept.text || this.editor.area.value;
    if (text) {
      this.take(text);
      this.original = kept.original || text;
    } else this.#refresh();
  }
}

/** The number of words, cached by chunk. */
function words(draft) {
  return draft.chunks.reduce((sum, chunk) => sum + (chunk.words ??= chunk.text.match(/\S+/g)?.length ?? 0), 0);
}

/** The safe first suggestions, in order, without overlaps. */
function safe(findings) {
  const picked = [];
  for (const finding of findings) {
    const edit = finding.edits[0];
    if (edit?.applicability !== "safe") continue;
    const start = finding.chunk.start + edit.start;
    if (start >= (picked.at(-1)?.end ?? 0)) picked.push({ finding, edit, start, end: finding.chunk.start + edit.end });
  }
  return picked;
}
