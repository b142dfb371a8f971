// Starts the page.

import { keepToken } from "./api.js";
import { Comparing } from "./compare.js";
import { byId, el } from "./dom.js";
import { offerExports } from "./exports.js";
import { MOST, isOffice, takeFiles, textOf, tooLarge } from "./files.js";
import { FORMATS, formatOfName } from "./formats.js";
import { Rewriting } from "./rewrite.js";
import { SAMPLE } from "./sample.js";
import { destination } from "./status.js";
import { toast } from "./toast.js";
import { Writing } from "./write.js";

const THEMES = ["system", "light", "dark"];

const MODES = ["write", "rewrite", "compare"];

function switchModes(writing, rewriting, comparing) {
  const show = () => {
    const mode = MODES.find((name) => location.hash === `#${name}`) ?? "write";
    for (const name of MODES) {
      byId(name).hidden = name !== mode;
      if (name === mode) byId(`go-${name}`).setAttribute("aria-current", "page");
      else byId(`go-${name}`).removeAttribute("aria-current");
    }
    writing.card.close();
    document.body.dataset.mode = mode;
    if (mode === "rewrite") rewriting.open();
    if (mode === "compare" && comparing.empty && writing.editor.text) comparing.fill(writing.original, writing.editor.text, writing.editor.draft.format);
  };
  addEventListener("hashchange", show);
  byId("take").addEventListener("click", () => comparing.fill(writing.original, writing.editor.text, writing.editor.draft.format));
  show();
}

function switchThemes() {
  const button = byId("theme");
  const root = document.documentElement;
  const show = () => {
    const now = root.dataset.theme ?? "system";
    button.querySelector("use").setAttribute("href", `page/icons.svg#${now}`);
    button.setAttribute("aria-label", `Theme: ${now}. Switch to ${THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]}`);
    button.title = `Theme: ${now}`;
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "system") + 1) % THEMES.length];
    if (next === "system") delete root.dataset.theme;
    else root.dataset.theme = next;
    localStorage.setItem("unslant-theme", next);
    show();
    dispatchEvent(new Event("themechange"));
  });
  show();
}

function openPanel(writing) {
  const toggle = (open) => {
    document.body.classList.toggle("panel-open", open);
    byId(open ? "panel-close" : "panel-open").focus();
    writing.card.close();
  };
  byId("panel-open").addEventListener("click", () => toggle(true));
  byId("panel-close").addEventListener("click", () => toggle(false));
}

/** The text of a file, and its format; a Word document has an id, by which it can be downloaded again. */
async function opened(file) {
  if (!isOffice(file.name)) return { text: await textOf(file), format: formatOfName(file.name) };
  if (file.size > MOST) throw new Error(tooLarge(file));
  const { openDocument } = await import("./documents.js");
  return openDocument(file);
}

function start() {
  const writing = new Writing();
  const comparing = new Comparing(writing);
  byId("compare-format").append(...Object.entries(FORMATS).map(([name, title]) => el("option", { value: name }, title)));
  const rewriting = new Rewriting(writing);
  byId("format").append(...Object.entries(FORMATS).map(([name, title]) => el("option", { value: name }, title)));
  byId("format").value = writing.editor.draft.format;
  byId("drop-where").textContent = `${destination(location.hostname, location.host)}.`;
  switchModes(writing, rewriting, comparing);
  switchThemes();
  openPanel(writing);
  addEventListener("themechange", () => writing.strip.paint());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => writing.strip.paint());
  offerExports(() => writing.state);
  takeFiles(async (file, target) => {
    try {
      const { text, format, id = null } = await opened(file);
      let back = null;
      if (target?.id === "before" || target?.id === "after") comparing.take(target.id, text, format);
      else {
        location.hash = "#write";
        back = writing.take(text, format, { name: file.name, document: id });
      }
      toast(id ? `“${file.name}” is open. Export it with tracked changes.` : `“${file.name}” is open.`, back);
    } catch (error) {
      toast(error.message);
    }
  });
  byId("sample").addEventListener("click", () => {
    writing.take(SAMPLE);
    writing.editor.area.setSelectionRange(0, 0);
    writing.editor.area.focus({ preventScroll: true });
  });
  byId("token").addEventListener("close", () => {
    writing.checker.needsToken = false;
    if (byId("token").returnValue !== "go") return;
    keepToken(byId("token-value").value);
    byId("token-value").value = "";
    writing.loadTitles();
    writing.checker.retry();
  });
}

start();
