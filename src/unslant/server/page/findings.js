// The list beside the text: findings by kind and certainty, and decisions.

import { byId, el, icon } from "./dom.js";
import { reasonSaid } from "./decisions.js";
import { KINDS, kindTip, kindTitle, likelihood, offer, plural, shorten } from "./words.js";

const PAGE = 100;
const LEVELS = ["Only clear cases", "Clear cases, weaker hints folded", "Everything, also faint hints"];

export class FindingList extends EventTarget {
  /** Emits `choose` (a finding), `filter` (what is shown changed), `withdraw` (a decision). */
  constructor() {
    super();
    this.hidden = new Set();
    /** 0: fewer findings, 1: as usual, 2: more. */
    this.level = 1;
    this.most = PAGE;
    this.items = new Map();
    this.#chips();
    byId("more").addEventListener("click", () => {
      this.most += PAGE;
      this.#emit("filter");
    });
    byId("order").addEventListener("change", () => this.#emit("filter"));
    byId("level").addEventListener("input", (event) => {
      this.level = Number(event.target.value);
      event.target.setAttribute("aria-valuetext", LEVELS[this.level]);
      event.target.title = LEVELS[this.level];
      this.#emit("filter");
    });
  }

  /** Whether a finding is certain enough for the level. */
  isCertain(finding) {
    return this.level > 0 || finding.severity !== "suggestion";
  }

  /** Whether a finding is shown: its kind is not switched off, and it is certain enough. */
  wants(finding) {
    return !this.hidden.has(finding.kind) && this.isCertain(finding);
  }

  /** Show the whole list, with what is folded, or as it was before. */
  showAll(all) {
    if (all) this.before = { most: this.most, open: byId("weaker").open };
    this.most = all ? Infinity : (this.before?.most ?? PAGE);
    byId("weaker").open = all || (this.before?.open ?? false);
  }

  /** Show these findings; `counts` are by kind and include kinds that are switched off. */
  show(findings, counts, state) {
    const weak = this.level === 1 ? findings.filter((finding) => finding.severity === "suggestion") : [];
    const strong = this.level === 1 ? findings.filter((finding) => finding.severity !== "suggestion") : findings;
    this.#heading(strong.length, weak.length, counts, state);
    const items = new Map();
    this.#reconcile(byId("findings"), this.#sorted(strong).slice(0, this.most), items);
    this.#reconcile(byId("weaker-findings"), this.#sorted(weak).slice(0, this.most), items);
    this.items = items;
    byId("weaker").hidden = !weak.length;
    byId("weaker-count").textContent = plural(weak.length, "weaker hint");
    if (!strong.length && weak.length) byId("weaker").open = true;
    const rest = strong.length - this.most;
    byId("more").hidden = rest <= 0;
    byId("more").textContent = `Show ${Math.min(Math.max(rest, 0), PAGE)} of ${plural(Math.max(rest, 0), "more finding")}`;
  }

  /** Show the decisions, the latest first. */
  decided(decisions) {
    const box = byId("decided");
    const active = decisions.active.toReversed();
    box.hidden = active.length === 0;
    box.querySelector("summary").textContent = `${plural(active.length, "decision")} so far`;
    box.querySelector("ol").replaceChildren(...active.slice(0, PAGE).map((decision) => this.#decision(decision)));
  }

  /** Highlight the active finding. */
  activate(id) {
    for (const [other, item] of this.items) {
      item.classList.toggle("active", other === id);
      if (other !== id) continue;
      if (item.closest("details")) item.closest("details").open = true;
      item.scrollIntoView({ block: "nearest" });
    }
  }

  #sorted(findings) {
    if (byId("order").value !== "certainty") return findings;
    return findings.toSorted((a, b) => (b.probability ?? 0.5) - (a.probability ?? 0.5));
  }

  #heading(strong, weak, counts, { hidden, progress, empty, language, waiting }) {
    const count = strong + weak;
    const open = count + hidden.byControls;
    byId("tally").textContent = tallied({ empty, strong, weak, hidden: hidden.byControls, waiting, language, progress });
    byId("off-note").hidden = !hidden.byRule;
    byId("off-note").textContent = `${plural(hidden.byRule, "finding")} of rules that you turned off in Settings`;
    for (const chip of document.querySelectorAll(".kinds button")) {
      const { kind } = chip.dataset;
      chip.querySelector(".number").textContent = counts[kind] ?? 0;
      chip.classList.toggle("none", !counts[kind]);
    }
    byId("waiting").hidden = !waiting || count > 0 || empty;
    const calm = byId("calm");
    calm.hidden = count > 0 || (progress < 1 && !empty);
    if (!calm.hidden) calm.replaceChildren(...this.#calm(empty, open, language));
    byId("panel-open").textContent = count ? counted(strong, weak) : "Findings";
  }

  #calm(empty, open, language) {
    if (empty) {
      return [
        el("p", {}, "Slanted wording is underlined as you write:"),
        el("dl", {}, ...Object.entries(KINDS).map(([name, kind]) => el("div", {}, el("dt", {}, el("u", { className: `kind-${name}`, title: kind.term }, kind.title)), el("dd", {}, kind.meaning)))),
        el("p", {}, "Each finding has a reason and, if possible, a neutral wording. These are suggestions: you know your text best."),
      ];
    }
    if (open) return [el("p", {}, "All findings are hidden by the controls above.")];
    if (language) return [el("p", { className: "foreign" }, `This looks like ${language}; unslant reads English, so nothing was checked.`)];
    return [el("p", { className: "well" }, icon("check"), "Nothing found."), el("p", {}, "That no word stands out does not mean that a text is balanced: what it leaves out is not checked.")];
  }

  #chips() {
    const group = document.querySelector(".kinds");
    for (const [name, kind] of Object.entries(KINDS)) {
      const chip = el(
        "button",
        { type: "button", className: `chip kind-${name}`, data: { kind: name }, title: kindTip(name), aria: { pressed: "true" } },
        el("span", { className: "name" }, kind.title),
        el("span", { className: "number" }, "0"),
      );
      chip.addEventListener("click", () => {
        if (!this.hidden.delete(name)) this.hidden.add(name);
        chip.setAttribute("aria-pressed", String(!this.hidden.has(name)));
        this.#emit("filter");
      });
      group.append(chip);
    }
  }

  /** Update only what differs, so that a long list stays fast while the writer types. */
  #reconcile(list, findings, items) {
    let at = list.firstChild;
    const kept = new Set();
    for (const finding of findings) {
      const known = this.items.get(finding.id);
      const item = known?.signature === signature(finding) && known.parentNode === list ? known : this.#item(finding);
      item.finding = finding;
      items.set(finding.id, item);
      kept.add(item);
      if (item === at) at = at.nextSibling;
      else list.insertBefore(item, at);
    }
    for (const item of [...list.children]) if (!kept.has(item)) item.remove();
  }

  #item(finding) {
    const button = el(
      "button",
      { type: "button" },
      el("span", { className: "words", dir: "auto" }, ...this.#becomes(finding)),
      el("span", { className: "meta" }, el("b", { title: kindTip(finding.kind) }, kindTitle(finding.kind)), ...details(finding)),
      // On paper only: there is no card.
      el("span", { className: "because" }, finding.why),
    );
    const item = el("li", { className: `kind-${finding.kind}` }, button);
    item.signature = signature(finding);
    button.addEventListener("click", () => this.#emit("choose", item.finding));
    return item;
  }

  #becomes(finding) {
    const [edit] = finding.edits;
    if (!edit || edit.applicability === "display") return [el("u", {}, shorten(finding.text, 48))];
    const { action, gone, words } = offer(edit, finding);
    return [
      el("u", {}, shorten(gone, 48)),
      el("span", { className: "becomes" }, " → ", action === "omit" ? el("i", {}, "delete") : el("bdi", {}, shorten(words, 40))),
    ];
  }

  #decision(decision) {
    const words = shorten(decision.finding.text, 40);
    const parts =
      decision.action === "applied"
        ? [el("s", {}, shorten(decision.before, 40)), " → ", decision.replacement.trim() ? el("bdi", {}, shorten(decision.replacement, 40)) : el("i", {}, "deleted")]
        : [el("bdi", {}, words), el("small", {}, ["kept", reasonSaid(decision)].filter(Boolean).join(": "))];
    const undo = el("button", { type: "button", className: "quiet round", aria: { label: `Undo: ${words}` }, on: { click: () => this.#emit("withdraw", decision) } }, icon("undo"));
    return el("li", { className: decision.action }, el("span", { dir: "auto" }, ...parts), undo);
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** How many items the list has, and how many are folded below it. */
function counted(strong, weak) {
  return [strong && plural(strong, "finding"), weak && plural(weak, "weaker hint")].filter(Boolean).join(", ");
}

function tallied({ empty, strong, weak, hidden, waiting, language, progress }) {
  if (empty) return "No findings yet";
  if (strong + weak + hidden) return [counted(strong, weak), hidden && `${hidden.toLocaleString("en")} hidden`].filter(Boolean).join(", ");
  if (waiting) return "Checking …";
  if (language) return `Not checked: ${language}`;
  return progress < 1 ? "Not checked yet" : "Nothing found";
}

function details(finding) {
  const parts = [];
  if (finding.dimension) parts.push(finding.dimension);
  if (finding.probability !== null && finding.probability !== undefined) parts.push(likelihood(finding.probability).replace(" slanted", "").toLowerCase());
  return parts.map((part) => el("span", {}, part));
}

const signature = (finding) => `${finding.fingerprint} ${finding.probability}`;
