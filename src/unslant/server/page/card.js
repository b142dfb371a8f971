// The card of a finding: what it is and why, the sentence as it could be, and what to do about it.

import { about, rewording } from "./card_parts.js";
import { byId, el, icon } from "./dom.js";
import { compatible } from "./fixes.js";
import { kindTip, kindTitle, sureness } from "./words.js";

const LINGER = 350;
const REST = 220;
const GAP = 8;
const WIDE = "(min-width: 70rem)";
const PHONE = "(max-width: 48rem)";

export class Card extends EventTarget {
  /** Emits `apply` ({finding, edits}), `keep` ({finding, scope, reason}), `step` (1 or -1), `closed` (whether to go back to the text). */
  constructor(editor, { fixOf, titleOf }) {
    super();
    this.editor = editor;
    /** Returns the rewriter's answer about a chunk. */
    this.fixOf = fixOf;
    /** Returns the title of a rule. */
    this.titleOf = titleOf;
    this.finding = null;
    this.pinned = false;
    this.timer = 0;
    this.node = el("div", { className: "card", role: "dialog", hidden: true, aria: { labelledby: "card-title" } });
    this.#listen();
    this.#attach();
    matchMedia(WIDE).addEventListener("change", () => this.#attach());
  }

  /** Whether it has its own place beside the text, so that it never covers it. */
  get docked() {
    return matchMedia(WIDE).matches;
  }

  /** Open the card of a finding. Pinned: it stays until closed; focused: it gets the keyboard focus. */
  open(finding, { pinned = true, focused = false, near = null } = {}) {
    clearTimeout(this.timer);
    if (this.finding?.id !== finding.id || this.node.hidden) {
      this.finding = finding;
      this.node.replaceChildren(...this.#content(finding));
      this.node.scrollTop = 0;
    }
    this.finding = finding;
    this.pinned = pinned;
    this.node.hidden = false;
    this.node.className = `card kind-${finding.kind}`;
    this.editor.activate(finding.id);
    this.#place(near);
    if (focused) this.#focus();
  }

  close(back = false) {
    clearTimeout(this.timer);
    if (this.node.hidden) return;
    const inside = this.node.contains(document.activeElement);
    this.node.hidden = true;
    this.finding = null;
    this.editor.activate(null);
    this.#emit("closed", back || inside);
  }

  /** The pointer hovers over a finding, or over none. */
  hover(finding, near) {
    clearTimeout(this.timer);
    if (this.pinned && !this.node.hidden) return;
    if (!finding) this.timer = setTimeout(() => this.close(), LINGER);
    else if (finding.id !== this.finding?.id || this.node.hidden) {
      this.timer = setTimeout(() => this.open(finding, { pinned: false, near }), REST);
    }
  }

  /** Follow the finding when the text moves; close when it is gone. */
  follow() {
    if (this.node.hidden) return;
    const finding = this.editor.draft.find(this.finding.id);
    if (!finding || !this.editor.rectangles(finding.id).length) this.close();
    else {
      this.finding = finding;
      this.#place(null);
    }
  }

  #attach() {
    byId(this.docked ? "card-dock" : "card-here").append(this.node);
    if (!this.node.hidden) this.#place(null);
  }

  async #focus() {
    const { finding } = this;
    const first = () => this.node.querySelector(".rewording button") ?? this.node.querySelector(".keep");
    this.node.querySelector(".keep").focus();
    await this.fetched;
    // The writer may have moved on while the rewriter was at work.
    if (this.finding === finding && this.node.contains(document.activeElement)) first().focus();
  }

  #listen() {
    this.node.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.node.addEventListener("pointerleave", () => this.hover(null));
    this.node.addEventListener("pointerdown", () => (this.pinned = true));
    this.node.addEventListener("focusin", () => (this.pinned = true));
    this.node.addEventListener("keydown", (event) => {
      if (event.key === "F8") {
        event.preventDefault();
        this.#emit("step", event.shiftKey ? -1 : 1);
      }
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.node.hidden) this.close(true);
    });
    document.addEventListener("pointerdown", (event) => {
      if (this.node.hidden || this.docked || this.node.contains(event.target) || this.editor.frame.contains(event.target)) return;
      if (!event.target.closest?.(".panel, .toasts")) this.close();
    });
  }

  #content(finding) {
    const { kind, dimension } = finding;
    const place = el("div", { className: "rewording", aria: { live: "polite", busy: "true" } }, el("p", { className: "skeleton" }, "Looking for a wording …"));
    this.fetched = this.#fetch(finding, place);
    return [
      el(
        "div",
        { className: "card-head" },
        el("span", { className: "badge", title: kindTip(kind) }, kindTitle(kind)),
        dimension ? el("span", { className: "about-group" }, `about ${dimension}`) : null,
        el("button", { type: "button", className: "round close", aria: { label: "Close" }, on: { click: () => this.close(true) } }, icon("close")),
      ),
      el("h2", { id: "card-title" }, el("span", { className: "rule-title" }, this.titleOf(finding)), " ", el("q", { className: "quote", dir: "auto" }, finding.text)),
      el("p", { className: "why" }, finding.why),
      place,
      el("p", { className: "sure" }, sureness(finding.probability)),
      about(finding),
      this.#foot(finding),
    ];
  }

  async #fetch(finding, place) {
    let parts;
    try {
      const { edits } = await this.fixOf(finding.chunk);
      parts = rewording(finding, edits, compatible, (chosen) => this.#emit("apply", { finding: this.finding ?? finding, edits: chosen }));
    } catch (error) {
      parts = [el("p", { className: "hint" }, `${error.message} The wording could not be fetched.`)];
    }
    place.setAttribute("aria-busy", "false");
    place.replaceChildren(...parts);
    if (this.finding?.id === finding.id) this.#place(null);
  }

  #foot({ deletion }) {
    const keep = (scope, reason = null) => () => this.#emit("keep", { finding: this.finding, scope, reason });
    const remove = () => this.#emit("apply", { finding: this.finding, edits: [this.finding.deletion] });
    const quiet = (className, text, click, symbol = null) => el("button", { type: "button", className: `quiet ${className}`, on: { click } }, symbol, text);
    return el(
      "div",
      { className: "card-foot row-of-buttons" },
      deletion ? quiet("delete", "Delete", remove, icon("delete")) : null,
      quiet("keep", "Keep", keep("here"), icon("keep")),
      quiet("keep-everywhere", "Keep everywhere", keep("everywhere")),
      quiet("quotation", "It is a quotation", keep("here", "quotation")),
      quiet("rule-off", "Turn this rule off", keep("rule")),
      quiet("next", "Next", () => this.#emit("step", 1), icon("next")),
    );
  }

  /** Place the card below the words, or above if there is more room; never over them, so a tall card may scroll. */
  #place(near) {
    if (this.docked || matchMedia(PHONE).matches) {
      for (const name of ["left", "top", "max-height"]) this.node.style.removeProperty(name);
      if (!this.docked) this.#clearWords();
      return;
    }
    const boxes = this.editor.rectangles(this.finding.id);
    if (!boxes.length) return;
    const box = (near && boxes.find((rect) => near.y >= rect.top && near.y <= rect.bottom)) ?? boxes[0];
    this.node.style.maxHeight = "";
    const { offsetWidth: width, offsetHeight: height } = this.node;
    const below = innerHeight - boxes.at(-1).bottom - 2 * GAP;
    const above = boxes[0].top - 2 * GAP;
    const under = height <= below || below >= above;
    const tall = Math.min(height, under ? below : above);
    const top = under ? boxes.at(-1).bottom + GAP : boxes[0].top - GAP - tall;
    const frame = this.editor.frame.getBoundingClientRect();
    const left = Math.max(Math.min(box.left - 16, frame.right - width - GAP), frame.left + GAP);
    this.node.style.maxHeight = tall < height ? `${tall}px` : "";
    this.node.style.left = `${left}px`;
    this.node.style.top = `${top}px`;
  }

  /** Scroll the text so that the words can be seen above a card at the foot of the screen. */
  #clearWords() {
    const last = this.editor.rectangles(this.finding.id).at(-1);
    const over = last ? last.bottom + 2 * GAP - this.node.getBoundingClientRect().top : 0;
    if (over > 0) this.editor.frame.scrollTop += over;
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
