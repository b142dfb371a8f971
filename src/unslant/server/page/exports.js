// Exports: the text, reports and decisions.

import { check } from "./api.js";
import { examples, judgements, label, reasonSaid } from "./decisions.js";
import { byId, el } from "./dom.js";
import { isOffice, save } from "./files.js";
import { toast } from "./toast.js";
import { kindTitle, likelihood, offer, plural } from "./words.js";

const NAME = "unslant-annotator";

const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** Set up the menu; `state()` returns `{text, format, name, document, settings, findings, decisions}`. */
export function offerExports(state) {
  const menu = byId("exports");
  const name = byId("annotator");
  name.value = localStorage.getItem(NAME) ?? name.value;
  name.addEventListener("change", () => localStorage.setItem(NAME, name.value.trim() || "me"));
  menu.addEventListener("click", (event) => {
    const wanted = event.target.closest("[data-export]")?.dataset.export;
    if (!wanted) return;
    menu.open = false;
    menu.querySelector("summary").focus();
    EXPORTS[wanted](state(), name.value.trim() || "me");
  });
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
    event.stopPropagation();
  });
}

/** The name of a document without its suffix; null if the text has no name. */
const stem = ({ name }) => name?.replace(/\.[^.]+$/, "") || null;

/** The name of an export: that of the document with what it is. */
const named = (state, what) => `${stem(state) ?? "unslant"}-${what}`;

/** The text is saved under its own name, if it is a text file. */
const textName = (state) => (!state.name || isOffice(state.name) ? `${stem(state) ?? "text"}.txt` : state.name);

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

const EXPORTS = {
  text: (state) => save(textName(state), "text/plain;charset=utf-8", state.text),
  page: async (state) => save(named(state, "report.html"), "text/html;charset=utf-8", report(state, await theme().catch(() => ""))),
  wire: (state) =>
    tried(async () => save(named(state, "report.json"), "application/json", `${JSON.stringify(await check(state.text, state.format, state.settings), null, 1)}\n`)),
  judgements: (state, annotator) => rows(named(state, "decisions.jsonl"), judgements(state.decisions, annotator)),
  examples: (state) => rows(named(state, "examples.jsonl"), examples(state.decisions)),
  tracked: (state) => tried(() => word(state, [])),
  commented: (state) => tried(() => word(state, state.findings)),
};

async function tried(task) {
  try {
    await task();
  } catch (error) {
    toast(error.message);
  }
}

/** Save the Word document with the changes tracked, and these findings as comments. */
async function word(state, findings) {
  const { documentOf, trackedDocument } = await import("./documents.js");
  const opened = await documentOf(state.document);
  if (!opened) throw new Error(`This browser does not have “${state.name}” any more. Export the text, open the document again, and paste it.`);
  const { bytes, changes, comments, left } = await trackedDocument(opened, state.text, findings);
  save(`${stem(state)}.reviewed.docx`, WORD, bytes);
  const done = [plural(changes, "tracked change"), findings.length ? plural(comments, "comment") : null].filter(Boolean).join(", ");
  toast(left ? `${done}. ${plural(left, "change")} cannot be written into the document: a new or deleted paragraph, or somebody’s tracked change.` : `${done}.`);
}

function rows(name, all) {
  if (all.length) save(name, "application/jsonl", lines(all));
  else toast("Nothing to export yet. Use a suggested wording first, or keep a wording and say why.");
}

const STYLE = `body { font: 1rem/1.6 var(--serif); max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color: var(--ink); background: var(--page); }
h1, h2, small { font-family: var(--sans); } h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
li { margin: 0 0 1rem; } small { color: var(--soft); display: block; } .text { white-space: pre-wrap; unicode-bidi: plaintext; }
mark { background: var(--wash); color: inherit; text-decoration: underline var(--stroke) var(--tone); text-decoration-thickness: 2px; text-underline-offset: .2em; }`;

/** The theme that this page and all reports share. */
async function theme() {
  const answer = await fetch("page/theme.css");
  return answer.ok ? answer.text() : "";
}

const head = (style, title) => `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">${title}<style>${style}</style>`;

/** A page to read or share: no scripts, nothing loaded; built from elements, so text stays text. */
export function report({ text, name = null, findings, decisions }, style = "") {
  const body = document.createElement("body");
  const title = name ? `unslant report: ${name}` : "unslant report";
  body.append(
    el("h1", {}, title),
    el("p", {}, `${plural(findings.length, "open finding")}, ${plural(decisions.active.length, "decision")}. These are suggestions about wording; you decide.`),
    el("h2", {}, "Text"),
    el("div", { className: "text" }, ...marked(text, findings)),
    el("h2", {}, "Open findings"),
    el("ol", {}, ...findings.map(entry)),
    el("h2", {}, "Decisions"),
    el("ol", {}, ...decisions.active.map(decided)),
  );
  return `<!doctype html>\n<html lang="en">\n<head>${head(style + STYLE, el("title", {}, title).outerHTML)}</head>\n${body.outerHTML}\n</html>\n`;
}

function marked(text, findings) {
  const parts = [];
  let at = 0;
  for (const finding of findings) {
    const start = Math.max(finding.chunk.start + finding.start, at);
    const end = finding.chunk.start + finding.end;
    if (end <= start) continue;
    parts.push(text.slice(at, start), el("mark", { className: `kind-${finding.kind}` }, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at)];
}

function entry(finding) {
  const about = [kindTitle(finding.kind), finding.dimension, likelihood(finding.probability).toLowerCase()];
  const ideas = finding.edits.map((edit) => offer(edit, finding)).map((suggestion) => (suggestion.action === "omit" ? `delete “${suggestion.gone}”` : `“${suggestion.words}” for “${suggestion.gone}”`));
  return el(
    "li",
    {},
    el("b", { dir: "auto" }, finding.text),
    el("small", {}, about.filter(Boolean).join(" · ")),
    finding.why,
    ideas.length ? el("small", {}, `Try: ${ideas.join(", ")}`) : null,
  );
}

function decided(decision) {
  const what = decision.action === "applied" ? `“${decision.before.trim()}” became “${decision.replacement.trim()}”` : `“${decision.finding.text}” was kept`;
  const why = decision.action === "applied" ? label(decision) : reasonSaid(decision);
  return el("li", {}, what, el("small", {}, why));
}
