// The whole text rewritten: every change can be accepted or rejected, and the result copied or used.

import { drawDiff } from "./card_parts.js";
import { announce, byId, el, icon } from "./dom.js";
import { applied, compatible } from "./fixes.js";
import { toast } from "./toast.js";
import { plural, shorten } from "./words.js";

export class Rewriting {
  constructor(writing) {
    this.writing = writing;
    this.fixes = writing.fixes;
    /** Changes in order: `{start, end, before, replacement, reason, applicability, state}`; the state is "open", "accepted" or "rejected". */
    this.changes = [];
    /** Findings that no change answers, in order. */
    this.unanswered = [];
    this.found = null;
    /** Where in the text the writer is. */
    this.at = -1;
    this.text = null;
    this.turn = 0;
    this.view = "diff";
    for (const button of document.querySelectorAll("[data-view]")) button.addEventListener("click", () => this.#look(button.dataset.view));
    byId("accept-safe").addEventListener("click", () => this.#decideAll("accepted", (change) => change.applicability === "safe"));
    byId("accept-all").addEventListener("click", () => this.#decideAll("accepted"));
    byId("reject-all").addEventListener("click", () => this.#decideAll("rejected"));
    byId("copy-result").addEventListener("click", () => this.#copy());
    byId("use-result").addEventListener("click", () => this.#use());
    byId("rewrite-retry").addEventListener("click", () => this.open(true));
    byId("next-change").addEventListener("click", () => this.#next());
    byId("rewritten").addEventListener("keydown", (event) => this.#key(event));
    byId("rewritten").addEventListener("focusin", ({ target }) => (this.at = Number(target.closest("[data-at]")?.dataset.at ?? this.at)));
  }

  /** Show the rewritten text; the rewriter is asked if the text has changed. */
  async open(again = false) {
    const { text, draft } = this.writing.editor;
    const asked = JSON.stringify([draft.format, this.writing.checker.settings]);
    if (text === this.text && asked === this.asked && !again) {
      // What the writer decided since then, such as to keep words, holds here, too.
      if (this.found) this.#collect();
      return;
    }
    const turn = (this.turn += 1);
    Object.assign(this, { text, asked, changes: [], unanswered: [], found: null, at: -1 });
    const chunks = [...draft.chunks];
    const total = Math.max(text.length, 1);
    let done = 0;
    this.#say(text.trim() ? "Looking for wordings …" : "There is no text yet. Write or paste it in Write.", true);
    byId("rewrite-retry").hidden = true;
    byId("rewritten").replaceChildren(text);
    try {
      const found = await this.fixes.all(chunks, draft.format, this.writing.checker.settings, (part) => {
        done += part.reduce((sum, chunk) => sum + chunk.text.length, 0);
        if (turn === this.turn) this.#say(`Looking for wordings … ${Math.min(Math.floor((100 * done) / total), 99)}%`, true);
      });
      if (turn !== this.turn) return;
      this.found = { chunks: chunks.map((chunk) => chunk.text.length), answers: found };
      this.#collect();
    } catch (error) {
      if (turn !== this.turn) return;
      this.text = null;
      this.#say(error.message, true);
      byId("rewrite-retry").hidden = false;
    }
  }

  /** The text with the accepted changes. */
  get result() {
    return applied(this.text ?? "", this.changes.filter((change) => change.state === "accepted"));
  }

  /** Take the changes for all findings that are still open; those that were decided here stay so. */
  #collect() {
    const key = (change) => `${change.start} ${change.end} ${change.replacement}`;
    const states = new Map(this.changes.map((change) => [key(change), change.state]));
    Object.assign(this, collected(this.found, (finding) => this.writing.isOpen(finding)));
    for (const change of this.changes) change.state = states.get(key(change)) ?? "open";
    this.#draw();
  }

  #say(message, waiting = false) {
    byId("rewrite-tally").textContent = message;
    for (const id of ["accept-safe", "accept-all", "reject-all", "copy-result", "use-result"]) byId(id).disabled = waiting;
    byId("next-change").disabled = waiting;
    if (waiting) byId("accept-safe").hidden = true;
  }

  #draw() {
    const count = (state) => this.changes.filter((change) => change.state === state).length;
    const safe = this.changes.filter((change) => change.applicability === "safe" && change.state === "open").length;
    const without = this.unanswered.length ? `${plural(this.unanswered.length, "finding")} without a wording` : "";
    if (!this.changes.length) this.#say(!this.text.trim() ? "There is no text yet. Write or paste it in Write." : without || "The rewriter has no wording for this text.");
    else this.#say(`${plural(this.changes.length, "change")}: ${count("accepted")} accepted, ${count("rejected")} rejected, ${count("open")} to decide${without && `; ${without}`}`);
    byId("next-change").disabled = !count("open") && !without;
    byId("accept-safe").hidden = !safe;
    byId("accept-safe").textContent = `Accept ${plural(safe, "safe change")}`;
    byId("accept-all").disabled = byId("reject-all").disabled = !count("open");
    byId("use-result").disabled = !count("accepted");
    this.#show();
  }

  #show() {
    const page = byId("rewritten");
    if (this.view === "before") page.replaceChildren(this.text);
    else if (this.view === "after") page.replaceChildren(this.result);
    else {
      const parts = [];
      let at = 0;
      const put = (item, node) => {
        parts.push(this.text.slice(at, item.start), node);
        at = item.end;
      };
      const items = [...this.changes.map((change, index) => ({ ...change, draw: () => this.#change(change, index) })), ...this.unanswered.map((finding) => ({ ...finding, draw: () => this.#finding(finding) }))];
      for (const item of items.toSorted((a, b) => a.start - b.start)) if (item.start >= at) put(item, item.draw());
      page.replaceChildren(...parts, this.text.slice(at));
    }
  }

  #change(change, index) {
    const why = change.applicability === "safe" ? "Safe: edits of this kind are almost always right." : change.note || "Read the sentence once more.";
    const button = (state, text, symbol) =>
      el(
        "button",
        { type: "button", className: "round", title: text, data: { decide: state }, aria: { label: `${text}: “${change.before.trim()}” to “${change.replacement.trim()}”`, pressed: String(change.state === state) }, on: { click: () => this.#decide(change, state, index) } },
        icon(symbol),
      );
    const words =
      change.state === "accepted" ? [el("ins", {}, change.replacement || "⌫")] : change.state === "rejected" ? [change.before] : drawDiff(change.before, change.replacement);
    return el(
      "span",
      { className: `change ${change.state}${change.applicability === "safe" ? " safe" : ""}`, data: { change: index, at: change.start }, role: "group", aria: { label: `Change ${index + 1} of ${this.changes.length}` }, title: why },
      ...words,
      el("span", { className: "decide" }, button("accepted", "Accept", "check"), button("rejected", "Reject", "close")),
    );
  }

  /** Words that were found, but for which there is no wording: the reason, and the way to the card. */
  #finding(finding) {
    const { text, kind, why } = finding;
    const show = () => toast(`“${shorten(text, 40)}”: ${why}`, { label: "Open in Write", run: () => this.writing.goTo(finding.start) });
    return el(
      "button",
      { type: "button", className: `unanswered kind-${kind}`, data: { at: finding.start }, title: why, aria: { label: `“${text}”: no wording. ${why}` }, on: { click: show } },
      text,
    );
  }

  /** Go to the next change that is to be decided, or finding without a wording, after the last one with the focus. */
  #next() {
    if (this.view !== "diff") this.#look("diff");
    const all = [...byId("rewritten").querySelectorAll(".change.open, .unanswered")];
    if (!all.length) return;
    const next = all.find((node) => Number(node.dataset.at) > this.at) ?? all[0];
    (next.querySelector("button") ?? next).focus({ preventScroll: true });
    next.scrollIntoView({ block: "center" });
  }

  #decide(change, state, index) {
    change.state = change.state === state ? "open" : state;
    this.#draw();
    byId("rewritten").querySelector(`[data-change="${index}"] [data-decide="${state}"]`)?.focus();
  }

  #decideAll(state, wanted = () => true) {
    for (const change of this.changes) if (change.state === "open" && wanted(change)) change.state = state;
    this.#draw();
    announce(byId("rewrite-tally").textContent);
  }

  #look(view) {
    this.view = view;
    for (const button of document.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === view));
    this.#show();
  }

  /** On a change: "a" accepts, "r" rejects, the arrows move. */
  #key(event) {
    const here = event.target.closest?.(".change");
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    const index = Number(here.dataset.change);
    const state = { a: "accepted", r: "rejected" }[event.key];
    if (state) this.#decide(this.changes[index], state, index);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = index + (event.key === "ArrowDown" ? 1 : -1);
      byId("rewritten").querySelector(`[data-change="${next}"] button`)?.focus();
    } else return;
    event.preventDefault();
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.result);
      toast("The result is copied.");
    } catch {
      toast("The browser did not allow copying. Use “Use in my text” instead.");
    }
  }

  #use() {
    const count = this.changes.filter((change) => change.state === "accepted").length;
    const before = this.writing.editor.text;
    location.hash = "#write";
    this.writing.useText(this.result);
    toast(`${plural(count, "change")} made in your text.`, { label: "Undo", run: () => this.writing.useText(before) });
  }
}

/** The changes of all chunks for open findings, and the findings without one, with positions in the text. */
function collected({ chunks, answers }, isOpen) {
  const changes = [];
  const unanswered = [];
  let start = 0;
  const moved = (item) => ({ ...item, start: start + item.start, end: start + item.end });
  chunks.forEach((length, index) => {
    const { edits, findings } = answers[index];
    const open = findings.filter(isOpen);
    const kept = new Set(findings.filter((finding) => !open.includes(finding)).map((finding) => finding.fingerprint));
    const chosen = compatible(edits.filter((edit) => !edit.findings.length || edit.findings.some((fingerprint) => !kept.has(fingerprint))));
    const answered = new Set(chosen.flatMap((edit) => edit.findings));
    const touched = (finding) => chosen.some((edit) => edit.start < finding.end && edit.end > finding.start);
    changes.push(...chosen.map((edit) => ({ ...moved(edit), state: "open" })));
    unanswered.push(...open.filter((finding) => !answered.has(finding.fingerprint) && !touched(finding)).map(moved));
    start += length;
  });
  return { changes, unanswered };
}
