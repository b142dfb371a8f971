// The whole text rewritten: every change can be accepted or rejected, and the result copied or used.

import { drawDiff } from "./card_parts.js";
import { announce, byId, el, icon } from "./dom.js";
import { applied, compatible } from "./fixes.js";
import { toast } from "./toast.js";
import { plural } from "./words.js";

export class Rewriting {
  constructor(writing) {
    this.writing = writing;
    this.fixes = writing.fixes;
    /** Changes in order: `{start, end, before, replacement, reason, applicability, state}`; the state is "open", "accepted" or "rejected". */
    this.changes = [];
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
    byId("rewritten").addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show the rewritten text; the rewriter is asked if the text has changed. */
  async open(again = false) {
    const { text, draft } = this.writing.editor;
    if (text === this.text && draft.format === this.format && !again) return;
    const turn = (this.turn += 1);
    Object.assign(this, { text, format: draft.format, changes: [] });
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
      this.changes = collected(chunks, found);
      this.#draw();
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

  #say(message, waiting = false) {
    byId("rewrite-tally").textContent = message;
    for (const id of ["accept-safe", "accept-all", "reject-all", "copy-result", "use-result"]) byId(id).disabled = waiting;
    if (waiting) byId("accept-safe").hidden = true;
  }

  #draw() {
    const count = (state) => this.changes.filter((change) => change.state === state).length;
    const safe = this.changes.filter((change) => change.applicability === "safe" && change.state === "open").length;
    if (!this.changes.length) this.#say(this.text.trim() ? "The rewriter has no wording for this text." : "There is no text yet. Write or paste it in Write.");
    else this.#say(`${plural(this.changes.length, "change")}: ${count("accepted")} accepted, ${count("rejected")} rejected, ${count("open")} to decide`);
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
      this.changes.forEach((change, index) => {
        parts.push(this.text.slice(at, change.start), this.#change(change, index));
        at = change.end;
      });
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
      { className: `change ${change.state}${change.applicability === "safe" ? " safe" : ""}`, data: { change: index }, role: "group", aria: { label: `Change ${index + 1} of ${this.changes.length}` }, title: why },
      ...words,
      el("span", { className: "decide" }, button("accepted", "Accept", "check"), button("rejected", "Reject", "close")),
    );
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

/** The changes of all chunks, with positions in the text. */
function collected(chunks, found) {
  const changes = [];
  let start = 0;
  chunks.forEach(({ text }, index) => {
    for (const edit of compatible(found[index].edits)) {
      changes.push({ ...edit, start: start + edit.start, end: start + edit.end, state: "open" });
    }
    start += text.length;
  });
  return changes;
}
