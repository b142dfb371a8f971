// Exports: the text, reports and decisions.

import { check } from "./api.js";
import { examples, judgements, label, reasonSaid } from "./decisions.js";
import { byId, el } from "./dom.js";
import { save } from "./files.js";
import { toast } from "./toast.js";
import { kindTitle, likelihood, offer, plural } from "./words.js";

const NAME = "unslant-annotator";

const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** Set up the menu; `state()` returns `{text, findings, decisions}`. */
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

const EXPORTS = {
  text: ({ text }) => save("text.txt", "text/plain;charset=utf-8", text),
  page: async (state) => save("unslant-report.html", "text/html;charset=utf-8", report(state, await theme().catch(() => ""))),
  wire: async ({ text, format }) => {
    try {
      save("unslant-report.json", "application/json", `${JSON.stringify(await check(text, format), null, 1)}\n`);
    } catch (error) {
      toast(error.message);
    }
  },
  judgements: ({ decisions }, annotator) => rows("unslant-decisions.jsonl", judgements(decisions, annotator)),
  examples: ({ decisions }) => rows("unslant-examples.jsonl", examples(decisions)),
};

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

const head = (style) => `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>unslant report</title><style>${style}</style>`;

/** A page to read or share: no scripts, nothing loaded; built from elements, so text stays text. */
export function report({ text, findings, decisions }, style = "") {
  const body = document.createElement("body");
  body.append(
    el("h1", {}, "unslant report"),
    el("p", {}, `${plural(findings.length, "open finding")}, ${plural(decisions.active.length, "decision")}. These are suggestions about wording; you decide.`),
    el("h2", {}, "Text"),
    el("div", { className: "text" }, ...marked(text, findings)),
    el("h2", {}, "Open findings"),
    el("ol", {}, ...findings.map(entry)),
    el("h2", {}, "Decisions"),
    el("ol", {}, ...decisions.active.map(decided)),
  );
  return `<!doctype html>\n<html lang="en">\n<head>${head(style + STYLE)}</head>\n${body.outerHTML}\n</html>\n`;
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
  const ideas = finding.edits.map((edit) => offer(edit, finding)).map((suggestion) => (suggestion.action === "omit" ? "delete" : `“${suggestion.words}”`));
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
