// Checks the chunks of a draft: visible ones first, one request at a time, nothing twice.

import { ServerError, checkAll } from "./api.js";
import { breathe } from "./dom.js";
import { placed } from "./positions.js";

const MOST_TEXT = 24_000;
const MOST_ITEMS = 100;
const REMEMBERED = 3_000;

export class Checker extends EventTarget {
  /** Emits `checked` with the chunks of a response, and `state` when a check starts, ends or fails. */
  constructor(draft, nearest) {
    super();
    this.draft = draft;
    /** Returns the index of the chunk in view. */
    this.nearest = nearest;
    this.busy = false;
    this.problem = null;
    this.remembered = new Map();
  }

  /** Check everything that is new; does nothing if a check is already running. */
  async run() {
    if (this.busy) return;
    this.busy = true;
    this.problem = null;
    this.#emit("state");
    try {
      this.#recall();
      for (let batch = this.#next(); batch.length; batch = this.#next()) {
        await this.#ask(batch);
        await breathe();
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.busy = false;
      this.#emit("state");
    }
  }

  /** Use cached results of text that was checked before, as after an undo. */
  #recall() {
    const checked = [];
    for (const chunk of this.draft.chunks) {
      const known = chunk.state === "new" && this.remembered.get(chunk.text);
      if (known) {
        chunk.setResult(known);
        checked.push(chunk);
      }
    }
    if (checked.length) this.#emit("checked", checked);
  }

  /** The next chunks to check, those closest to the view first. */
  #next() {
    const { chunks } = this.draft;
    const here = Math.max(this.nearest() - 2, 0);
    const batch = [];
    let length = 0;
    for (const chunk of [...chunks.slice(here), ...chunks.slice(0, here)]) {
      if (chunk.state !== "new") continue;
      if (batch.length && (length + chunk.text.length > MOST_TEXT || batch.length === MOST_ITEMS)) break;
      batch.push(chunk);
      length += chunk.text.length;
    }
    return batch;
  }

  async #ask(batch) {
    for (const chunk of batch) chunk.state = "asked";
    let reports;
    try {
      reports = await checkAll(batch.map((chunk) => chunk.text));
    } catch (error) {
      for (const chunk of batch) chunk.state = "new";
      if (!(error instanceof ServerError) || error.status !== 503) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * Math.max(error.retryAfter, 1)));
      return;
    }
    const checked = [];
    const present = new Set(this.draft.chunks);
    batch.forEach((chunk, index) => {
      if (reports[index].error) {
        chunk.state = "failed";
        this.problem = reports[index].error;
        return;
      }
      const known = placed(reports[index], chunk.text);
      this.#remember(chunk.text, known);
      if (!present.has(chunk)) return;
      chunk.setResult(known);
      checked.push(chunk);
    });
    this.#emit("checked", checked);
  }

  #remember(text, known) {
    this.remembered.delete(text);
    this.remembered.set(text, known);
    if (this.remembered.size > REMEMBERED) this.remembered.delete(this.remembered.keys().next().value);
  }

  #failed(error) {
    if (!(error instanceof ServerError)) console.error(error);
    this.problem = error.message;
    this.needsToken = error.status === 401;
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
