// Comparing two versions: what the change brings in, what it settles, what stays.

import { ServerError, check, compare } from "./api.js";
import { byId, debounced, el } from "./dom.js";
import { Editor } from "./editor.js";
import { placed } from "./positions.js";
import { KINDS, offer, plural, shorten } from "./words.js";

export class Comparing {
  constructor() {
    this.before = new Editor(byId("before-editor"));
    this.after = new Editor(byId("after-editor"));
    this.asked = 0;
    this.run = debounced(() => this.#run(), 500);
    for (const editor of [this.before, this.after]) {
      editor.addEventListener("change", () => this.run());
    }
    byId("swap").addEventListener("click", () => this.fill(this.after.text, this.before.text));
  }

  get empty() {
    return !this.before.text && !this.after.text;
  }

  /** Put in both versions. */
  fill(before, after) {
    this.before.setText(before);
    this.after.setText(after);
    this.run.now();
  }

  async #run() {
    this.run.stop();
    const asked = (this.asked += 1);
    const [before, after] = [this.before.text, this.after.text];
    if (!before.trim() || !after.trim()) return this.#say("Put in two versions to see what changed.", {});
    byId("balance").textContent = "Comparing …";
    try {
      const [brought, settled, whole] = await Promise.all([compare(before, after), compare(after, before), check(after)]);
      if (asked !== this.asked) return undefined;
      const result = { brought: placed(brought, after).findings, settled: placed(settled, before).findings, stay: whole.findings.length - brought.findings.length };
      this.#mark(this.after, result.brought);
      this.#mark(this.before, result.settled);
      return this.#show(result);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      return this.#say(error.message, {});
    }
  }

  /** Deal the findings out to the chunks they are in. */
  #mark(editor, findings) {
    const { draft } = editor;
    for (const chunk of draft.chunks) chunk.settle({ sentences: [], findings: [] });
    const byChunk = new Map();
    for (const finding of findings) {
      const chunk = draft.chunks[draft.chunkAt(finding.start)];
      const moved = { ...finding, start: finding.start - chunk.start, end: Math.min(finding.end, chunk.end) - chunk.start };
      byChunk.set(chunk, [...(byChunk.get(chunk) ?? []), moved]);
    }
    for (const [chunk, found] of byChunk) chunk.settle({ sentences: [], findings: found });
    editor.redrawAll();
  }

  #show({ brought, settled, stay }) {
    const said = brought.length ? `The change brings in ${plural(brought.length, "finding")}` : "The change brings in nothing new";
    this.#say(said, { introduced: brought.length, resolved: settled.length, unchanged: stay });
    byId("outcome").replaceChildren(
      ...this.#group("Introduced", brought, this.after),
      ...this.#group("Resolved", settled, this.before),
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
    const becomes = idea && editor === this.after ? ` → ${idea.words}` : "";
    const button = el(
      "button",
      { type: "button", on: { click: () => editor.reveal(drawn) } },
      el("span", { className: "words", dir: "auto" }, el("u", {}, shorten(finding.text, 48)), el("span", { className: "becomes" }, becomes)),
      el("span", { className: "meta" }, el("b", {}, KINDS[finding.kind]?.title ?? finding.kind), finding.dimension ? el("span", {}, finding.dimension) : null),
      el("span", { className: "because" }, finding.why),
    );
    return el("li", { className: `kind-${finding.kind}` }, button);
  }
}
