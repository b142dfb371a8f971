// Compares two versions, word by word: which findings a change introduces, which it resolves, and which stay.

import { ServerError, about, check, compare } from "./api.js";
import { drawDiff } from "./card_parts.js";
import { versionsOf } from "./diffs.js";
import { byId, debounced, el } from "./dom.js";
import { Editor } from "./editor.js";
import { guessFormat } from "./formats.js";
import { placed } from "./positions.js";
import { toast } from "./toast.js";
import { kindTip, kindTitle, offer, plural, shorten } from "./words.js";

const LONGEST_DIFF = 60_000;
// The server looks at no more of a long text to choose its profile.
const SAMPLE = 20_000;
const HOW = "Type, paste, or drop a file on either version. A diff copied from a wiki or from git, pasted into an empty field or over everything in one, fills both.";

export class Comparing {
  constructor(writing) {
    this.writing = writing;
    this.before = new Editor(byId("before-editor"));
    this.after = new Editor(byId("after-editor"));
    this.requests = 0;
    this.run = debounced(() => this.#run(), 500);
    for (const editor of [this.before, this.after]) {
      editor.addEventListener("change", ({ detail }) => this.#changed(editor, detail));
      editor.area.addEventListener("paste", (event) => this.#pasted(editor.area, event));
    }
    byId("compare-format").addEventListener("change", () => this.run.now());
    writing.settings.addEventListener("change", () => this.empty || this.run());
    byId("compare-retry").addEventListener("click", () => this.run.now());
    byId("swap").addEventListener("click", () => this.fill(this.after.text, this.before.text));
    this.#run();
  }

  get empty() {
    return !this.before.text && !this.after.text;
  }

  /** Set both versions. */
  fill(before, after, format = byId("compare-format").value) {
    byId("compare-format").value = format;
    this.before.setText(before);
    this.after.setText(after);
    this.run.now();
  }

  /** Set one version from a file. */
  take(side, text, format) {
    byId("compare-format").value = format;
    this[side].setText(text);
    this.run.now();
  }

  /** A diff pasted over everything in a field fills both. */
  #pasted(area, event) {
    if (area.selectionEnd - area.selectionStart < area.value.length) return;
    const found = versionsOf(event.clipboardData.getData("text/html"), event.clipboardData.getData("text/plain"));
    if (!found) return;
    event.preventDefault();
    const old = [this.before.text, this.after.text, byId("compare-format").value];
    this.fill(found.before, found.after, found.format);
    toast("Both versions come from the diff that you pasted.", { label: "Undo", run: () => this.fill(...old) });
  }

  /** A version pasted into an empty field has a format of its own, unless the other one said so already. */
  #changed(editor, { pasted, inserted }) {
    const format = pasted && inserted === editor.text && byId("compare-format").value === "text" ? guessFormat(editor.text) : null;
    if (format) byId("compare-format").value = format;
    this.run();
  }

  /** Both versions are judged by the profile of the new one. */
  async #settings(text, format) {
    const { profile } = await about(text.slice(0, SAMPLE), format);
    return this.writing.settings.sentWith(profile);
  }

  async #run() {
    this.run.stop();
    const request = (this.requests += 1);
    const [before, after, format] = [this.before.text, this.after.text, byId("compare-format").value || "text"];
    byId("compare-retry").hidden = true;
    this.#showChange(before, after);
    if (before === after || !before.trim() || !after.trim()) {
      for (const editor of [this.before, this.after]) this.#mark(editor, []);
      this.#say(before.trim() && after.trim() ? "The versions are the same" : "Enter two versions to compare them", {});
      return byId("outcome").replaceChildren(el("p", {}, HOW));
    }
    byId("balance").textContent = "Comparing …";
    try {
      const settings = await this.#settings(after, format);
      const answers = await Promise.all([compare(before, after, format, settings), compare(after, before, format, settings), check(after, format, settings)]);
      if (request !== this.requests) return undefined;
      const [introduced, resolved, whole] = answers.map((answer) => ({ ...answer, findings: answer.findings.filter((finding) => !this.writing.settings.isOff(finding)) }));
      const result = { introduced: placed(introduced, after).findings, resolved: placed(resolved, before).findings, stay: whole.findings.length - introduced.findings.length };
      this.#mark(this.after, result.introduced);
      this.#mark(this.before, result.resolved);
      return this.#show(result);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      byId("compare-retry").hidden = false;
      return this.#say(error.message, {});
    }
  }

  /** Show the word diff; two long texts are left to the marks. */
  #showChange(before, after) {
    const box = byId("word-diff");
    box.hidden = !before.trim() || !after.trim() || before === after || before.length + after.length > LONGEST_DIFF;
    if (!box.hidden) byId("word-diff-text").replaceChildren(...drawDiff(before, after));
  }

  /** Assign the findings to their chunks. */
  #mark(editor, findings) {
    const { draft } = editor;
    for (const chunk of draft.chunks) chunk.setResult({ sentences: [], findings: [] });
    const byChunk = new Map();
    for (const finding of findings) {
      const chunk = draft.chunks[draft.chunkAt(finding.start)];
      const moved = { ...finding, start: finding.start - chunk.start, end: Math.min(finding.end, chunk.end) - chunk.start };
      byChunk.set(chunk, [...(byChunk.get(chunk) ?? []), moved]);
    }
    for (const [chunk, found] of byChunk) chunk.setResult({ sentences: [], findings: found });
    editor.redrawAll();
  }

  #show({ introduced, resolved, stay }) {
    const message = introduced.length ? `The change introduces ${plural(introduced.length, "finding")}` : "The change introduces no findings";
    this.#say(message, { introduced: introduced.length, resolved: resolved.length, unchanged: stay });
    byId("outcome").replaceChildren(
      ...this.#group("Introduced", introduced, this.after),
      ...this.#group("Resolved", resolved, this.before),
    );
  }

  #say(message, sums) {
    byId("balance").textContent = message;
    byId("sums").replaceChildren(...Object.entries(sums).map(([name, count]) => el("span", { className: `sum ${name.split(" ")[0]}` }, el("b", {}, String(count)), ` ${name}`)));
    if (!Object.keys(sums).length) byId("outcome").replaceChildren();
  }

  #group(title, findings, editor) {
    if (!findings.length) return [];
    const drawn = [...editor.draft.findings()];
    return [
      el("h3", {}, title),
      el("ol", { className: "findings" }, ...findings.slice(0, 200).map((finding, index) => this.#item(finding, drawn[index], editor))),
    ];
  }

  #item(finding, drawn, editor) {
    const idea = finding.edits[0] && finding.edits[0].applicability !== "display" ? offer(finding.edits[0], finding) : null;
    const [words, becomes] = idea && editor === this.after ? [idea.gone, ` → ${idea.words}`] : [finding.text, ""];
    const button = el(
      "button",
      { type: "button", on: { click: () => editor.reveal(drawn) } },
      el("span", { className: "words", dir: "auto" }, el("u", {}, shorten(words, 48)), el("span", { className: "becomes" }, becomes)),
      el("span", { className: "meta" }, el("b", { title: kindTip(finding.kind) }, kindTitle(finding.kind)), finding.dimension ? el("span", {}, finding.dimension) : null),
      el("span", { className: "because" }, finding.why),
    );
    return el("li", { className: `kind-${finding.kind}` }, button);
  }
}
