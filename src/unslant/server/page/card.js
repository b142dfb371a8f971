// The card of a finding: its kind, probability, reason and suggestions.

import { byId, el, icon } from "./dom.js";
import { KINDS, REASONS, likelihood, offer, percentage } from "./words.js";

const LINGER = 350;
const REST = 220;
const GAP = 8;

export class Card extends EventTarget {
  /** Emits `apply` ({finding, edit}), `ignore` ({finding, reason, note}), `step` (1 or -1), `closed` (whether to go back to the text). */
  constructor(editor) {
    super();
    this.editor = editor;
    this.finding = null;
    this.pinned = false;
    this.timer = 0;
    this.node = el("div", { className: "card", role: "dialog", hidden: true, aria: { labelledby: "card-title" } });
    byId("card-here").replaceWith(this.node);
    this.#listen();
  }

  /** Open the card of a finding. Pinned: it stays until closed; focused: it gets the keyboard focus. */
  open(finding, { pinned = true, focused = false, near = null } = {}) {
    clearTimeout(this.timer);
    if (this.finding?.id !== finding.id || this.node.hidden) {
      this.finding = finding;
      this.node.replaceChildren(...this.#content(finding));
    }
    this.finding = finding;
    this.pinned = pinned;
    this.node.hidden = false;
    this.node.className = `card kind-${finding.kind}`;
    this.editor.activate(finding.id);
    this.#place(near);
    if (focused) (this.node.querySelector(".offers button") ?? this.node.querySelector(".keep")).focus();
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
      if (this.node.hidden || this.node.contains(event.target) || this.editor.frame.contains(event.target)) return;
      if (!event.target.closest?.(".panel")) this.close();
    });
  }

  #content(finding) {
    const { kind, dimension } = finding;
    return [
      el(
        "div",
        { className: "card-head" },
        el("span", { className: "badge", title: KINDS[kind]?.meaning ?? "" }, KINDS[kind]?.title ?? kind),
        dimension ? el("span", { className: "about" }, `about ${dimension}`) : null,
        el("button", { type: "button", className: "round close", aria: { label: "Close" }, on: { click: () => this.close(true) } }, icon("close")),
      ),
      el("p", { className: "quote", id: "card-title", dir: "auto" }, finding.text),
      this.#sureness(finding),
      el("p", { className: "why" }, finding.why),
      this.#offers(finding),
      this.#foot(finding),
    ];
  }

  #sureness({ probability, rule, severity }) {
    const likely = likelihood(probability);
    const known = probability !== null && probability !== undefined;
    const detail = known ? `Probability: ${percentage(probability)}` : (rule ?? severity);
    const meter = known
      ? el("meter", { min: 0, max: 1, value: probability, aria: { label: "Probability that it is slanted" } })
      : el("span", { className: "dot", aria: { hidden: "true" } });
    return el("p", { className: "sure" }, meter, el("b", {}, likely), el("span", {}, detail));
  }

  #offers(finding) {
    const list = el("ul", { className: "offers", aria: { label: "Suggestions" } });
    for (const edit of finding.edits) {
      const { action, words } = offer(edit, finding);
      const label = action === "omit" ? el("i", {}, "Delete") : el("bdi", {}, words);
      if (edit.applicability === "display") list.append(el("li", { className: "idea" }, label));
      else {
        const apply = () => this.#emit("apply", { finding: this.finding, edit: this.#current(edit) });
        const title = action === "omit" ? `Delete “${finding.text}”` : `Replace with “${words}”`;
        const safe = edit.applicability === "safe" ? el("small", {}, "safe") : null;
        list.append(el("li", {}, el("button", { type: "button", aria: { label: title }, on: { click: apply } }, label, safe)));
      }
    }
    if (list.children.length) return list;
    return el("p", { className: "hint" }, "There is no suggestion for this one. Could you delete it, or say what happened instead?");
  }

  /** The same edit in the current state of the finding: positions may have changed since the card was opened. */
  #current(edit) {
    return this.finding.edits.find((one) => one.replacement === edit.replacement && one.before === edit.before) ?? edit;
  }

  #foot(finding) {
    const reasons = this.#reasons(finding);
    const keep = el("button", { type: "button", className: "quiet keep", aria: { expanded: "false" } }, icon("keep"), "Keep it …");
    keep.addEventListener("click", () => {
      reasons.hidden = !reasons.hidden;
      keep.setAttribute("aria-expanded", String(!reasons.hidden));
      this.#place(null);
      if (reasons.hidden) return;
      reasons.querySelector("button").focus();
      reasons.scrollIntoView({ block: "nearest" });
    });
    const next = el("button", { type: "button", className: "quiet", on: { click: () => this.#emit("step", 1) } }, "Next", icon("next"));
    return el("div", { className: "card-foot" }, el("div", { className: "row-of-buttons" }, keep, next), reasons);
  }

  #reasons(finding) {
    const ignore = (reason, note) => this.#emit("ignore", { finding: this.finding ?? finding, reason, note });
    const note = el("input", { type: "text", maxLength: 200, placeholder: "Another reason", aria: { label: "Another reason" } });
    const form = el("form", { className: "note" }, note, el("button", { className: "quiet" }, "Keep"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (note.value.trim()) ignore("other", note.value.trim());
      else note.focus();
    });
    const choices = REASONS.map((one) => el("button", { type: "button", data: { reason: one.name }, on: { click: () => ignore(one.name, "") } }, one.text));
    return el("div", { className: "reasons", role: "group", hidden: true, aria: { label: "Why keep it?" } }, el("p", {}, "Why keep it?"), ...choices, form);
  }

  /** Place the card below the words, or above if there is more room; never over them, so a tall card may scroll. */
  #place(near) {
    if (matchMedia("(max-width: 48rem)").matches) {
      for (const name of ["left", "top", "max-height"]) this.node.style.removeProperty(name);
      return;
    }
    const boxes = this.editor.rectangles(this.finding.id);
    if (!boxes.length) return;
    const box = (near && boxes.find((one) => near.y >= one.top && near.y <= one.bottom)) ?? boxes[0];
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

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
