// The layer behind the text: the same words in the same places, invisible except for their underlines.
//
// One row (a block) for each run of chunks that ends with a line end, one span for each chunk. A change rebuilds only the
// rows that it touches, so the browser lays out no more than those.

import { el } from "./dom.js";

export class Mirror {
  constructor(layer) {
    this.layer = layer;
    /** Chunk to `{row, span}`. */
    this.views = new WeakMap();
    /** Finding number to its marks. */
    this.marks = new Map();
  }

  /** Follow a change of the draft; `draw` returns the visible findings of a chunk. */
  follow(chunks, { first, gone, made }, draw) {
    let from = first;
    while (from > 0 && !chunks[from - 1].text.endsWith("\n")) from -= 1;
    let until = first + made.length;
    while (until < chunks.length && until > 0 && !chunks[until - 1].text.endsWith("\n")) until += 1;
    const old = new Set();
    for (const chunk of [...gone, ...chunks.slice(from, until)]) if (this.views.has(chunk)) old.add(this.views.get(chunk).row);
    for (const chunk of gone) this.#forget(chunk);
    const before = until < chunks.length ? this.views.get(chunks[until]).row : null;
    const rows = this.#rows(chunks.slice(from, until), draw);
    for (const row of old) row.remove();
    const fragment = document.createDocumentFragment();
    fragment.append(...rows);
    this.layer.insertBefore(fragment, before);
  }

  /** Draw the underlines of a chunk; returns whether they changed. */
  draw(chunk, findings) {
    const view = this.views.get(chunk);
    const drawn = [...findings, ...chunk.skipped].map((item) => `${item.id} ${item.start} ${item.end} ${item.kind} ${item.severity}`).join();
    if (!view || view.drawn === drawn) return false;
    view.drawn = drawn;
    const parts = [];
    let at = 0;
    for (const id of view.ids) this.marks.delete(id);
    view.ids = [];
    for (const item of [...findings, ...chunk.skipped].toSorted((a, b) => a.start - b.start)) {
      const start = Math.max(item.start, at);
      if (item.end <= start) continue;
      if (start > at) parts.push(chunk.text.slice(at, start));
      parts.push(item.reason ? el("span", { className: "skipped" }) : this.#mark(item, view));
      parts.at(-1).textContent = chunk.text.slice(start, item.end);
      at = item.end;
    }
    if (at < chunk.text.length) parts.push(chunk.text.slice(at));
    view.span.replaceChildren(...parts);
    return true;
  }

  #mark(finding, view) {
    const mark = el("mark", { className: `kind-${finding.kind}`, data: { finding: finding.id, severity: finding.severity } });
    this.marks.set(finding.id, mark);
    view.ids.push(finding.id);
    return mark;
  }

  #rows(chunks, draw) {
    const rows = [];
    let row = null;
    for (const chunk of chunks) {
      row ??= el("div", { className: "row" });
      const known = this.views.get(chunk);
      if (known) known.row = row;
      else this.views.set(chunk, { row, span: document.createElement("span"), ids: [], drawn: null });
      row.append(this.views.get(chunk).span);
      if (!known) this.draw(chunk, draw(chunk));
      if (!chunk.text.endsWith("\n")) continue;
      rows.push(row);
      row = null;
    }
    if (row) rows.push(row);
    return rows;
  }

  #forget(chunk) {
    for (const id of this.views.get(chunk)?.ids ?? []) this.marks.delete(id);
    this.views.delete(chunk);
  }
}
