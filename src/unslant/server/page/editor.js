// A text area with underlines. It is a plain text area, so that input methods, undo, spell checkers and screen readers work as
// usual; the underlines are in a layer behind it, laid out with the same font, width and line breaks.

import { nextFrame } from "./dom.js";
import { Draft } from "./draft.js";
import { Mirror } from "./mirror.js";

const SLICE = 20;
const ENDLESS = 50_000;

export class Editor extends EventTarget {
  /**
   * Sends `change` (a change of the draft), `hover` ({id, at} or null), `press` (a finding under the caret after a click),
   * `call` (the finding at the caret, by keyboard), `step` (1 or -1: to the next finding).
   */
  constructor(frame) {
    super();
    this.frame = frame;
    this.area = frame.querySelector("textarea");
    this.mirror = new Mirror(frame.querySelector(".mirror"));
    this.draft = new Draft();
    /** Which findings of a chunk are shown; set by the owner. */
    this.shown = (chunk) => chunk.findings;
    this.active = null;
    this.#listen();
    this.#fit();
  }

  get text() {
    return this.draft.text;
  }

  /** Set another text; this resets the browser's undo. */
  setText(text) {
    this.#suit(text);
    this.area.value = text;
    this.#follow();
  }

  /** Set another format; the text stays as it is. */
  setFormat(format) {
    const change = this.draft.setFormat(format);
    this.mirror.follow(this.draft.chunks, change, this.shown);
  }

  /** Replace a range as if typed, so that the browser's own undo includes it. */
  replace(start, end, words) {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, end);
    const done = words === "" ? document.execCommand("delete") : document.execCommand("insertText", false, words);
    // A browser that does not support the command changes nothing and fires no event.
    if (done) return;
    this.area.setRangeText(words, start, end, "end");
    this.#follow();
  }

  /** Redraw the underlines of these chunks; returns whether anything changed. */
  redraw(chunks) {
    const changed = chunks.filter((chunk) => this.mirror.draw(chunk, this.shown(chunk))).length > 0;
    if (changed && this.active) this.activate(this.active);
    return changed;
  }

  /** Redraw all underlines, visible ones first, in steps that do not block typing. */
  async redrawAll() {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const here = Math.max(this.inView() - 2, 0);
    const { chunks } = this.draft;
    const order = [...chunks.slice(here), ...chunks.slice(0, here)];
    for (let from = 0; from < order.length && turn === this.turn; from += SLICE) {
      if (this.redraw(order.slice(from, from + SLICE))) await nextFrame();
    }
  }

  /** Highlight one finding; null for none. */
  activate(id) {
    this.frame.querySelector("mark.active")?.classList.remove("active");
    this.active = id;
    this.mirror.marks.get(id)?.classList.add("active");
  }

  /** The rectangles of a finding's lines on the screen; empty if it is not drawn. */
  rectangles(id) {
    return [...(this.mirror.marks.get(id)?.getClientRects() ?? [])];
  }

  /** Scroll to a finding and put the caret there. */
  reveal(finding, focus = true) {
    const start = finding.chunk.start + finding.start;
    if (focus) this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, start);
    this.mirror.marks.get(finding.id)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.#clear(finding.id);
    this.activate(finding.id);
  }

  /** Scroll to a position in a chunk. */
  show(chunk, start) {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(chunk.start + start, chunk.start + start);
    const walker = document.createTreeWalker(this.mirror.views.get(chunk).span, NodeFilter.SHOW_TEXT);
    let left = start;
    while (walker.nextNode()) {
      if (left < walker.currentNode.length) break;
      left -= walker.currentNode.length;
    }
    const range = document.createRange();
    range.setStart(walker.currentNode ?? this.mirror.layer, Math.min(left, walker.currentNode.length ?? 0));
    this.#centre(range.getBoundingClientRect());
  }

  /** The index of the chunk in the middle of the view. */
  inView() {
    const box = this.frame.getBoundingClientRect();
    const under = document.elementsFromPoint(box.left + box.width / 2, Math.min(box.top + 80, innerHeight - 1));
    const row = under.map((node) => node.closest(".row")).find((node) => node && this.frame.contains(node));
    return row ? Math.max(this.draft.chunks.findIndex((chunk) => this.mirror.views.get(chunk)?.row === row), 0) : 0;
  }

  #centre(box) {
    const frame = this.frame.getBoundingClientRect();
    if (box.top >= frame.top + 40 && box.bottom <= frame.bottom - 40) return;
    this.frame.scrollTop += box.top - frame.top - frame.height / 3;
  }

  /** Keep a revealed finding away from the edge. */
  #clear(id) {
    const [box] = this.rectangles(id);
    if (box) this.#centre(box);
  }

  /** Choose a layout that browsers manage: finding the direction of a line takes them forever if it has a million letters. */
  #suit(text) {
    this.frame.classList.toggle("endless", text.length > ENDLESS && text.split("\n").some((line) => line.length > ENDLESS));
  }

  #follow(event = null) {
    this.#suit(this.area.value);
    const change = this.draft.edit(this.area.value);
    if (!change) return;
    change.pasted = event?.inputType?.startsWith("insertFrom") ?? false;
    this.mirror.follow(this.draft.chunks, change, this.shown);
    this.dispatchEvent(new CustomEvent("change", { detail: change }));
  }

  #listen() {
    this.area.addEventListener("input", (event) => this.#follow(event));
    this.area.addEventListener("click", () => this.#press());
    this.area.addEventListener("keydown", (event) => this.#key(event));
    let frame = 0;
    this.area.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch" || frame) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        this.#hover(event.clientX, event.clientY);
      });
    });
    this.area.addEventListener("pointerleave", () => this.#emit("hover", null));
  }

  #hover(x, y) {
    const mark = document.elementsFromPoint(x, y).find((node) => node.localName === "mark" && this.frame.contains(node));
    this.area.classList.toggle("over-mark", Boolean(mark));
    this.#emit("hover", mark ? { id: Number(mark.dataset.finding), x, y } : null);
  }

  #press() {
    if (this.area.selectionStart !== this.area.selectionEnd) return;
    this.#emit("press", this.#atCaret());
  }

  #key(event) {
    if (event.isComposing) return;
    const opens = (event.key === "." && (event.ctrlKey || event.metaKey)) || (event.key === "Enter" && event.altKey);
    if (opens) {
      event.preventDefault();
      this.#emit("call", this.#atCaret());
    } else if (event.key === "F8") {
      event.preventDefault();
      this.#emit("step", event.shiftKey ? -1 : 1);
    }
  }

  #atCaret() {
    const found = this.draft.findingAt(this.area.selectionStart);
    return found && this.shown(found.chunk).includes(found) ? found : null;
  }

  /** If a text area cannot grow with its text by itself, use the height of the mirror. */
  #fit() {
    if (CSS.supports("field-sizing", "content")) return;
    new ResizeObserver(([entry]) => {
      this.area.style.height = `${entry.target.offsetHeight}px`;
    }).observe(this.mirror.layer);
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
