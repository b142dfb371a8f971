// The parts of a card that come from the server: the sentence reworded, the rule in full, the words that matter to the model.

import { explain, rule } from "./api.js";
import { diff } from "./diff.js";
import { el } from "./dom.js";
import { applied } from "./fixes.js";
import { offer } from "./words.js";

/** The elements of a word diff: struck, inserted and unchanged words. */
export function drawDiff(before, after) {
  return diff(before, after).map(({ type, text }) => (type === "same" ? text : el(type, {}, text)));
}

/** The sentence of a finding as the rewriter would have it, with what can be applied and why the rest is held back. */
export function rewording(finding, edits, compatible, apply) {
  const answers = edits.filter((edit) => edit.findings.includes(finding.fingerprint) || (edit.start < finding.end && edit.end > finding.start));
  const own = answers.find((edit) => edit.applicability !== "display");
  if (!own) return [...heldBack(answers[0]), ...chips(finding, [], apply), hint(finding, answers)].filter(Boolean);
  const { start, end } = own.sentence;
  const together = compatible([own, ...edits.filter((edit) => edit !== own && edit.sentence.start === start)]);
  const chosen = together.includes(own) ? together : [own];
  const sentence = finding.chunk.text.slice(start, end);
  const button = (className, text, list) => el("button", { type: "button", className, on: { click: () => apply(list) } }, text);
  return [
    el("p", { className: "sentence", dir: "auto" }, ...drawDiff(sentence, applied(sentence, chosen, start))),
    el(
      "div",
      { className: "row-of-buttons" },
      button("main use-sentence", "Use this sentence", chosen),
      chosen.length > 1 ? button("quiet use-word", "Only this word", [own]) : null,
    ),
    ...heldBack(own),
    ...chips(finding, [own, ...own.alternatives], apply),
  ];
}

/** Why an edit is not applied without a look. */
function heldBack(edit) {
  if (!edit || edit.applicability === "safe") return [];
  if (!edit.note) return edit.applicability === "review" ? [el("p", { className: "held" }, "Read it first.")] : [];
  const intro = edit.applicability === "display" ? `“${edit.replacement.trim() || "delete it"}” is only an idea: ` : "Read it first: ";
  return [el("p", { className: "held" }, intro, edit.note.charAt(0).toLowerCase() + edit.note.slice(1))];
}

/** Other wordings for the same words; the first of `known` is already shown as a sentence. */
function chips(finding, known, apply) {
  const taken = new Set(known.slice(0, 1).map((edit) => offer(edit, finding).words.toLowerCase()));
  const list = [];
  for (const edit of [...known.slice(1), ...finding.edits]) {
    const { action, gone, words } = offer(edit, finding);
    // The foot of the card has a button that deletes the words.
    if (edit.applicability === "display" || taken.has(words.toLowerCase()) || (action === "omit" && finding.deletion)) continue;
    taken.add(words.toLowerCase());
    const label = action === "omit" ? `Delete “${gone}”` : `Replace with “${words}”`;
    const shown = action === "omit" ? el("i", {}, "Delete") : el("bdi", {}, words);
    list.push(el("li", {}, el("button", { type: "button", aria: { label }, on: { click: () => apply([current(edit, finding)]) } }, shown)));
  }
  if (!list.length) return [];
  return [el("ul", { className: "offers", aria: { label: known.length ? "Other wordings" : "Wordings" } }, ...list)];
}

/** The same edit where the finding is now: the text may have changed since the card was opened. */
function current(edit, finding) {
  return finding.edits.find((other) => other.replacement === edit.replacement && other.before === edit.before) ?? edit;
}

function hint(finding, answers) {
  if (answers.length || finding.edits.some((edit) => edit.applicability !== "display")) return null;
  return el("p", { className: "hint" }, "There is no wording for this one. Could you delete it, or say what happened instead?");
}

/** Details on demand: the guidance behind the finding with examples, and the words that matter to the model. */
export function about(finding) {
  const guidance = el("div", { className: "guidance" });
  const words = el("div", { className: "weights" });
  const box = el("details", { className: "more-about" }, el("summary", {}, "Why this counts as slanted"), guidance, words);
  box.addEventListener("toggle", () => box.open && !guidance.children.length && fill(finding, guidance, words));
  return box;
}

async function fill(finding, guidance, words) {
  const show = (place, ...parts) => place.replaceChildren(...parts);
  show(guidance, el("p", { className: "skeleton" }, "One moment …"));
  try {
    show(guidance, ...(finding.rule ? described(await rule(finding.rule)) : [el("p", {}, "No rule is behind this one; the model goes by the context.")]));
  } catch (error) {
    show(guidance, el("p", { className: "hint" }, error.message));
  }
  const ask = el("button", { type: "button", className: "quiet" }, "Show the words the model goes by");
  ask.addEventListener("click", async () => {
    ask.disabled = true;
    try {
      show(words, ...weighed(await explain(finding.sentence.slice(0, 2_000))));
    } catch (error) {
      show(words, el("p", { className: "hint" }, error.message));
    }
  });
  show(words, ask);
}

function described({ id, source, flags, passes }) {
  const marked = (text) => text.split("*").map((part, index) => (index % 2 ? el("b", {}, part) : part));
  const list = (title, texts) => (texts.length ? [el("h3", {}, title), el("ul", {}, ...texts.slice(0, 2).map((text) => el("li", {}, ...marked(text))))] : []);
  return [
    el("p", {}, "Guidance: ", el("cite", {}, source), "."),
    ...list("Slanted", flags),
    ...list("Not slanted", passes),
    el("p", { className: "rule-id" }, "Rule ", el("code", {}, id)),
  ];
}

function weighed({ sentences }) {
  const level = (change) => Math.min(Math.round(Math.abs(change) / 0.05), 4);
  const word = ({ text, change }) => {
    if (change === null || level(change) === 0) return text;
    const title = `without “${text}”: ${Math.abs(Math.round(100 * change))} points ${change > 0 ? "less" : "more"} likely`;
    return el("span", { className: `weight ${change > 0 ? "towards" : "against"}-${level(change)}`, title }, text);
  };
  return [
    ...sentences.map(({ parts }) => el("p", { className: "sentence", dir: "auto" }, ...parts.map(word))),
    el("p", { className: "hint" }, "The stronger the background, the more a word counts towards “slanted”; a dotted line means it counts against."),
  ];
}
