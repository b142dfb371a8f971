// The strip above the text: one cell per sentence, as wide as the sentence is long, filled if it has findings and hatched
// if it is hard to tell.

import { debounced } from "./dom.js";
import { KINDS, shorten, verdict } from "./words.js";

const LEAST = 3;

export class Strip extends EventTarget {
  /** Emits `choose` with a sentence: `{chunk, start, end, …}`. */
  constructor(node) {
    super();
    this.node = node;
    this.canvas = node.querySelector("canvas");
    this.tip = node.querySelector(".tip");
    this.sentences = [];
    this.length = 0;
    this.at = 0;
    this.paint = debounced(() => requestAnimationFrame(() => this.#paint()), 30);
    this.#listen();
    new ResizeObserver(() => this.paint()).observe(node);
  }

  /** Show a draft; `shown` returns the visible findings of a chunk. */
  show(draft, shown) {
    this.length = draft.text.length;
    this.sentences = draft.chunks.flatMap((chunk) => {
      const found = shown(chunk);
      return chunk.sentences.map((sentence) => {
        const inside = found.filter((finding) => finding.start >= sentence.start && finding.start < sentence.end);
        return { ...sentence, chunk, findings: inside.length, kind: heaviest(inside), level: level(sentence, inside), unsure: sentence.verdict === "uncertain" };
      });
    });
    this.at = Math.min(this.at, Math.max(this.sentences.length - 1, 0));
    this.#describe();
    this.paint();
  }

  #describe() {
    const { node, sentences } = this;
    const sentence = sentences[this.at];
    node.setAttribute("aria-valuemin", sentences.length ? "1" : "0");
    node.setAttribute("aria-valuemax", String(sentences.length));
    node.setAttribute("aria-valuenow", String(sentence ? this.at + 1 : 0));
    node.setAttribute(
      "aria-valuetext",
      sentence ? `Sentence ${this.at + 1} of ${sentences.length}: ${verdict(sentence)}. ${shorten(this.#words(sentence), 90)}` : "No sentences yet",
    );
  }

  #words(sentence) {
    return sentence.chunk.text.slice(sentence.start, sentence.end);
  }

  #listen() {
    this.node.addEventListener("pointermove", (event) => this.#showTip(event));
    this.node.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.node.addEventListener("blur", () => (this.tip.hidden = true));
    this.node.addEventListener("click", (event) => {
      const found = this.#under(event);
      if (found >= 0) this.#choose(found);
    });
    this.node.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    const last = this.sentences.length - 1;
    const slanted = (from, by) => {
      let index = from + by;
      while (this.sentences[index] && !this.sentences[index].level) index += by;
      return this.sentences[index] ? index : this.at;
    };
    const moves = {
      ArrowRight: () => this.at + 1,
      ArrowUp: () => this.at + 1,
      ArrowLeft: () => this.at - 1,
      ArrowDown: () => this.at - 1,
      PageDown: () => slanted(this.at, 1),
      PageUp: () => slanted(this.at, -1),
      Home: () => 0,
      End: () => last,
    };
    if (event.key === "Enter" && this.sentences[this.at]) this.#choose(this.at);
    else if (!moves[event.key]) return;
    else {
      this.at = Math.min(Math.max(moves[event.key](), 0), Math.max(last, 0));
      this.#describe();
      this.#hint(this.at);
      this.paint();
    }
    event.preventDefault();
  }

  #choose(index) {
    this.at = index;
    this.#describe();
    this.paint();
    this.dispatchEvent(new CustomEvent("choose", { detail: this.sentences[index] }));
  }

  #under(event) {
    const box = this.canvas.getBoundingClientRect();
    const position = ((event.clientX - box.left) / box.width) * this.length;
    return this.sentences.findLastIndex((sentence) => sentence.chunk.start + sentence.start <= position);
  }

  #showTip(event) {
    const found = this.#under(event);
    if (found >= 0) this.#hint(found);
  }

  #hint(index) {
    const sentence = this.sentences[index];
    if (!sentence) return;
    this.tip.textContent = `${verdict(sentence)} · ${shorten(this.#words(sentence), 70)}`;
    this.tip.hidden = false;
    const width = this.node.clientWidth;
    const x = ((sentence.chunk.start + sentence.start) / this.length) * width;
    this.tip.style.left = `${Math.min(Math.max(x, 0), Math.max(width - this.tip.offsetWidth, 0))}px`;
  }

  #paint() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const scale = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * scale)) this.canvas.width = Math.round(width * scale);
    if (this.canvas.height !== Math.round(height * scale)) this.canvas.height = Math.round(height * scale);
    const brush = this.canvas.getContext("2d");
    brush.setTransform(scale, 0, 0, scale, 0, 0);
    brush.clearRect(0, 0, width, height);
    const colours = new Map();
    const colour = (name) => {
      if (!colours.has(name)) colours.set(name, this.#colour(name));
      return colours.get(name);
    };
    for (const cell of this.#cells(width)) {
      const wide = Math.max(cell.to - cell.from - 1.5, 1.5);
      brush.fillStyle = colour("--cell");
      box(brush, cell.from, 4, wide, height - 8);
      if (cell.level) {
        brush.fillStyle = colour(`--${cell.kind ?? "other"}`);
        const tall = (height - 4) * cell.level;
        box(brush, cell.from, height - 2 - tall, wide, tall);
      } else if (cell.unsure) {
        brush.strokeStyle = colour("--soft");
        hatch(brush, cell.from, 4, wide, height - 8);
      }
      if (!cell.here) continue;
      brush.fillStyle = colour("--ink");
      brush.fillRect(cell.from, height - 1.5, wide, 1.5);
    }
  }

  /** A colour of the theme as the canvas understands it: a custom property keeps `light-dark()` as it is written. */
  #colour(name) {
    this.tip.style.outlineColor = `var(${name})`;
    const found = getComputedStyle(this.tip).outlineColor;
    this.tip.style.removeProperty("outline-color");
    return found;
  }

  /** Join cells that are too narrow to be seen; a joined cell shows the strongest of them. */
  #cells(width) {
    const cells = [];
    this.sentences.forEach((sentence, index) => {
      const from = ((sentence.chunk.start + sentence.start) / this.length) * width;
      const to = ((sentence.chunk.start + sentence.end) / this.length) * width;
      const last = cells.at(-1);
      if (last && last.to - last.from < LEAST) {
        last.to = Math.max(to, last.to);
        last.here ||= index === this.at;
        last.unsure ||= sentence.unsure;
        if (sentence.level > last.level) Object.assign(last, { level: sentence.level, kind: sentence.kind });
      } else cells.push({ from, to, level: sentence.level, kind: sentence.kind, unsure: sentence.unsure, here: index === this.at });
    });
    return cells;
  }
}

function box(brush, x, y, width, height) {
  brush.beginPath();
  brush.roundRect(x, y, width, height, Math.min(2.5, width / 2, height / 2));
  brush.fill();
}

/** Draw slanting lines, for what is neither clear nor clearly slanted. */
function hatch(brush, x, y, width, height) {
  brush.save();
  brush.beginPath();
  brush.rect(x, y, width, height);
  brush.clip();
  brush.beginPath();
  for (let at = x - height; at < x + width; at += 5) {
    brush.moveTo(at, y + height);
    brush.lineTo(at + height, y);
  }
  brush.stroke();
  brush.restore();
}

/** How far to fill a cell: by its findings, or by its probability if that is high. */
function level(sentence, findings) {
  if (findings.length) {
    const weight = { suggestion: 0.4, warning: 0.65, error: 0.85 };
    return Math.min(Math.max(...findings.map((finding) => weight[finding.severity] ?? 0.5)) + 0.12 * (findings.length - 1), 1);
  }
  return sentence.verdict === "slanted" ? 0.3 + 0.4 * (sentence.probability ?? 0) : 0;
}

/** The most frequent kind of the findings. */
function heaviest(findings) {
  let best = null;
  for (const kind of Object.keys(KINDS)) {
    const count = findings.filter((finding) => finding.kind === kind).length;
    if (count > (best?.count ?? 0)) best = { kind, count };
  }
  return best?.kind ?? null;
}
