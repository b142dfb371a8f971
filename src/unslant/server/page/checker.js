// Checks the chunks of a draft: visible ones first, one request at a time, nothing twice. It tries again by itself when the
// server is busy or away, and goes on around a passage on which the server fails.

import { ServerError, checkAll } from "./api.js";
import { breathe } from "./dom.js";
import { placed } from "./positions.js";

const FIRST_TEXT = 1_800;
const MOST_TEXT = 24_000;
const MOST_ITEMS = 100;
const REMEMBERED = 3_000;
const LONGEST_WAIT = 30;

export class Checker extends EventTarget {
  /** Emits `checked` with the chunks of a response, and `state` when a check starts, ends, waits or fails. */
  constructor(draft, nearest) {
    super();
    this.draft = draft;
    /** Returns the index of the chunk in view. */
    this.nearest = nearest;
    /** Settings of the requests, such as a threshold. */
    this.settings = {};
    this.busy = false;
    /** What the writer should know: `{message, retry}`, where `retry` says whether trying again can help. */
    this.problem = null;
    this.needsToken = false;
    /** Where the server sends the text, if it does. */
    this.sentTo = [];
    this.remembered = new Map();
    this.most = MOST_TEXT;
    this.failures = 0;
    addEventListener("online", () => this.retry());
  }

  /** Check everything that is new; does nothing if a check is already running. */
  async run() {
    if (this.busy || this.needsToken) return;
    this.busy = true;
    if (!this.draft.chunks.some((chunk) => chunk.state === "failed")) this.problem = null;
    this.#emit("state");
    try {
      this.#recall();
      let sent = 0;
      for (let batch = this.#next(sent); batch.length; batch = this.#next(sent)) {
        sent += 1;
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

  /** Try again now, also what failed before. */
  retry() {
    for (const chunk of this.draft.chunks) if (chunk.state === "failed") chunk.state = "new";
    this.wake?.();
    this.run();
  }

  /** Forget all results, because the settings changed. */
  restart() {
    for (const chunk of this.draft.chunks) if (chunk.text.trim()) chunk.state = "new";
  }

  #key(chunk) {
    return JSON.stringify([this.draft.format, this.settings, chunk.before, chunk.after, chunk.senses, chunk.text]);
  }

  /** Use cached results of text that was checked before, as after an undo. */
  #recall() {
    const checked = [];
    for (const chunk of this.draft.chunks) {
      const known = chunk.state === "new" && this.remembered.get(this.#key(chunk));
      if (known) {
        chunk.setResult(known);
        checked.push(chunk);
      }
    }
    if (checked.length) this.#emit("checked", checked);
  }

  /** The next chunks to check, those closest to the view first; the first request is small, so that its answer comes soon. */
  #next(sent) {
    const { chunks } = this.draft;
    const here = Math.max(this.nearest() - 2, 0);
    const most = Math.min(sent === 0 ? FIRST_TEXT : MOST_TEXT, this.most);
    const batch = [];
    let length = 0;
    for (const chunk of [...chunks.slice(here), ...chunks.slice(0, here)]) {
      if (chunk.state !== "new") continue;
      if (batch.length && (length + chunk.text.length > most || batch.length === MOST_ITEMS)) break;
      batch.push(chunk);
      length += chunk.text.length;
    }
    return batch;
  }

  async #ask(batch) {
    for (const chunk of batch) chunk.state = "pending";
    const keys = batch.map((chunk) => this.#key(chunk));
    let reports;
    try {
      reports = await checkAll(batch, this.draft.format, this.settings);
      this.failures = 0;
      if (!this.draft.chunks.some((chunk) => chunk.state === "failed")) this.problem = null;
    } catch (error) {
      for (const chunk of batch) if (chunk.state === "pending") chunk.state = "new";
      if (!(error instanceof ServerError)) throw error;
      await this.#recover(error, batch);
      return;
    }
    const checked = [];
    const present = new Set(this.draft.chunks);
    batch.forEach((chunk, index) => {
      if (reports[index].error) {
        this.#giveUp(chunk, reports[index].error, reports[index].status);
        return;
      }
      const known = placed(reports[index], chunk.text);
      this.sentTo = known.sentTo;
      this.#remember(keys[index], known);
      // What stands around it, or the settings, may have changed meanwhile.
      if (!present.has(chunk) || keys[index] !== this.#key(chunk)) return;
      chunk.setResult(known);
      checked.push(chunk);
    });
    this.#emit("checked", checked);
  }

  /** Wait and try again, ask for less, or leave out the passage on which the server fails; anything else ends the check. */
  async #recover(error, batch) {
    if (error.status === 0 || error.status === 503) {
      this.failures += 1;
      const seconds = Math.min(Math.max(error.retryAfter, 2 ** (this.failures - 1)), LONGEST_WAIT);
      this.problem = { message: `${error.message} Trying again in ${seconds} s.`, retry: true };
      this.#emit("state");
      await this.#sleep(seconds);
      return;
    }
    if (![413, 500, 504].includes(error.status)) throw error;
    if (batch.length > 1) {
      this.most = Math.max(batch.reduce((sum, chunk) => sum + chunk.text.length, 0) / 2, 1);
      return;
    }
    this.most = MOST_TEXT;
    this.#giveUp(batch[0], error.message, error.status);
  }

  #giveUp(chunk, message, status) {
    chunk.state = "failed";
    const hint = status === 413 ? " Break the longest paragraph up with blank lines, or run “unslant check” on the file." : " Everything else is checked.";
    this.problem = { message: `${message}${hint}`, retry: status !== 413 };
  }

  #sleep(seconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 1000 * seconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #remember(key, known) {
    this.remembered.delete(key);
    this.remembered.set(key, known);
    if (this.remembered.size > REMEMBERED) this.remembered.delete(this.remembered.keys().next().value);
  }

  #failed(error) {
    if (!(error instanceof ServerError)) console.error(error);
    this.problem = { message: error.message, retry: true };
    this.needsToken = error.status === 401;
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
