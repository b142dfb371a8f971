// The list beside the text: findings by kind, and decisions.

import { byId, el, icon } from "./dom.js";
import { reasonSaid } from "./decisions.js";
import { KINDS, likelihood, offer, plural, shorten } from "./words.js";

const PAGE = 100;

export class FindingList extends EventTarget {
  /** Emits `choose` (a finding), `apply-safe`, `filter` (the kinds that are hidden), `withdraw` (a decision). */
  constructor() {
    super();
    this.hidden = new Set();
    this.most = PAGE;
    this.items = new Map();
    this.#chips();
    byId("more").addEventListener("click", () => {
      this.most += PAGE;
      this.#emit("filter", this.hidden);
    });
    byId("apply-safe").addEventListener("click", () => this.#emit("apply-safe"));
  }

  /** Show these findings; `counts` are by kind and include hidden ones. */
  show(findings, counts, { safe, progress, empty }) {
    this.#heading(findings.length, counts, progress, empty);
    this.#reconcile(findings.slice(0, this.most));
    const rest = findings.length - this.most;
    byId("more").hidden = rest <= 0;
    byId("more").textContent = `Show ${Math.min(Math.max(rest, 0), PAGE)} of ${plural(Math.max(rest, 0), "more finding")}`;
    const button = byId("apply-safe");
    button.hidden = safe === 0;
    button.textContent = safe === 1 ? "Apply the safe suggestion" : `Apply ${safe} safe suggestions`;
  }

  /** Show the decisions, the latest first. */
  decided(decisions) {
    const box = byId("decided");
    const active = decisions.active.toReversed();
    box.hidden = active.length === 0;
    box.querySelector("summary").textContent = `${plural(active.length, "decision")} so far`;
    box.querySelector("ol").replaceChildren(...active.slice(0, PAGE).map((one) => this.#decision(one)));
  }

  /** Highlight the active finding. */
  activate(id) {
    for (const [other, item] of this.items) {
      item.classList.toggle("active", other === id);
      if (other === id) item.scrollIntoView({ block: "nearest" });
    }
  }

  #heading(count, counts, progress, empty) {
    const open = Object.values(counts).reduce((sum, one) => sum + one, 0);
    const waiting = progress < 1 ? "Checking …" : "No findings";
    byId("tally").textContent = empty ? "No findings yet" : open ? plural(open, "finding") : waiting;
    for (const chip of document.querySelectorAll(".kinds button")) {
      const kind = chip.dataset.kind;
      chip.querySelector(".number").textContent = counts[kind] ?? 0;
      chip.classList.toggle("none", !counts[kind]);
    }
    const calm = byId("calm");
    calm.hidden = count > 0 || (progress < 1 && !empty);
    if (!calm.hidden) calm.replaceChildren(...this.#calm(empty, open));
    byId("panel-open").textContent = open ? plural(open, "finding") : "Findings";
  }

  #calm(empty, open) {
    if (empty) {
      return [
        el("p", {}, "Slanted wording is underlined as you write:"),
        el("dl", {}, ...Object.entries(KINDS).map(([name, kind]) => el("div", {}, el("dt", {}, el("u", { className: `kind-${name}` }, kind.title)), el("dd", {}, kind.meaning)))),
        el("p", {}, "Each finding has a reason and, if possible, a neutral wording. These are suggestions: you know your text best."),
      ];
    }
    if (open) return [el("p", {}, "All findings are hidden by the filter above.")];
    return [el("p", { className: "well" }, icon("check"), "No slanted wording found.")];
  }

  #chips() {
    const group = document.querySelector(".kinds");
    for (const [name, kind] of Object.entries(KINDS)) {
      const chip = el(
        "button",
        { type: "button", className: `chip kind-${name}`, data: { kind: name }, title: kind.meaning, aria: { pressed: "true" } },
        el("span", { className: "name" }, kind.title),
        el("span", { className: "number" }, "0"),
      );
      chip.addEventListener("click", () => {
        if (!this.hidden.delete(name)) this.hidden.add(name);
        chip.setAttribute("aria-pressed", String(!this.hidden.has(name)));
        this.#emit("filter", this.hidden);
      });
      group.append(chip);
    }
  }

  /** Update only what differs, so that a long list stays fast while the writer types. */
  #reconcile(findings) {
    const list = byId("findings");
    const items = new Map();
    let at = list.firstChild;
    for (const finding of findings) {
      const known = this.items.get(finding.id);
      const item = known?.signature === signature(finding) ? known : this.#item(finding);
      item.finding = finding;
      items.set(finding.id, item);
      if (item === at) at = at.nextSibling;
      else list.insertBefore(item, at);
    }
    const kept = new Set(items.values());
    for (const item of [...list.children]) if (!kept.has(item)) item.remove();
    this.items = items;
  }

  #item(finding) {
    const button = el(
      "button",
      { type: "button" },
      el("span", { className: "words", dir: "auto" }, el("u", {}, shorten(finding.text, 48)), this.#becomes(finding)),
      el("span", { className: "meta" }, el("b", {}, KINDS[finding.kind]?.title ?? finding.kind), ...details(finding)),
    );
    const item = el("li", { className: `kind-${finding.kind}` }, button);
    item.signature = signature(finding);
    button.addEventListener("click", () => this.#emit("choose", item.finding));
    return item;
  }

  #becomes(finding) {
    const [edit] = finding.edits;
    if (!edit || edit.applicability === "display") return null;
    const { action, words } = offer(edit, finding);
    return el("span", { className: "becomes" }, " → ", action === "omit" ? el("i", {}, "delete") : el("bdi", {}, shorten(words, 40)));
  }

  #decision(one) {
    const words = shorten(one.finding.text, 40);
    const parts =
      one.action === "applied"
        ? [el("s", {}, shorten(one.before, 40)), " → ", one.replacement.trim() ? el("bdi", {}, shorten(one.replacement, 40)) : el("i", {}, "deleted")]
        : [el("bdi", {}, words), el("small", {}, `kept: ${reasonSaid(one)}`)];
    const undo = el("button", { type: "button", className: "quiet round", aria: { label: `Undo: ${words}` }, on: { click: () => this.#emit("withdraw", one) } }, icon("undo"));
    return el("li", { className: one.action }, el("span", { dir: "auto" }, ...parts), undo);
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function details(finding) {
  const parts = [];
  if (finding.dimension) parts.push(finding.dimension);
  if (finding.probability !== null && finding.probability !== undefined) parts.push(likelihood(finding.probability).replace(" slanted", "").toLowerCase());
  return parts.map((part) => el("span", {}, part));
}

const signature = (finding) => `${finding.fingerprint} ${finding.probability}`;
