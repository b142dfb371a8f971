// A user script for MediaWiki: asks an unslant server on your own machine about the text in the edit box, or about what an
// edit introduces. docs/guides/wiki-patroller.md tells how to use it.

(() => {
  const SERVER = "http://127.0.0.1:8765";
  const TOKEN = "unslant-token";

  const create = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  const MEANINGS = {
    401: "The server requires a token. Press the link again to enter it.",
    403: `The server does not accept this wiki. Start it with --allow-origin ${location.origin}.`,
    413: "This page is too long for the server.",
  };

  async function ask(path, body) {
    const headers = { "Content-Type": "application/json" };
    const token = sessionStorage.getItem(TOKEN);
    if (token) headers.Authorization = `Bearer ${token}`;
    const settings = { profile: "encyclopedia" };
    let answer;
    try {
      answer = await fetch(SERVER + path, {
        method: "POST",
        headers,
        credentials: "omit",
        body: JSON.stringify({ format: "wikitext", segments: true, settings, ...body }),
      });
    } catch {
      throw new Error(`No server responds. Run “unslant serve --allow-origin ${location.origin} --token-file FILE” on this machine.`);
    }
    if (answer.status === 401) sessionStorage.removeItem(TOKEN);
    if (!answer.ok) throw new Error(MEANINGS[answer.status] ?? `The server refused the text (status ${answer.status}).`);
    return answer.json();
  }

  /** The findings of a report with positions in UTF-16 units. */
  function placed(report) {
    const units = [0];
    for (const segment of report.segments) units.push(units.at(-1) + segment.text.length);
    const at = ([first, after]) => ({ start: units[first], end: units[after] });
    return report.findings.map((finding) => ({
      ...finding,
      ...at(finding.segments),
      edits: finding.edits.map((edit) => ({ ...at(edit.segments), replacement: edit.replacement })),
    }));
  }

  function panel() {
    const box = document.getElementById("unslant") ?? create("section", { id: "unslant" });
    box.setAttribute("aria-label", "unslant");
    box.style.cssText = "border:1px solid #a2a9b1;padding:0.75em 1em;margin:0.5em 0;background:var(--background-color-base,#fff)";
    const status = create("p", { role: "status", textContent: "Checking…" });
    const list = create("ul");
    box.replaceChildren(status, list);
    document.getElementById("mw-content-text").prepend(box);
    return { status, list };
  }

  function item(finding, actions) {
    const entry = create("li", {}, create("b", { textContent: finding.text }), ` ${finding.why} `);
    entry.append(...actions.flatMap(([label, act]) => [create("button", { type: "button", textContent: label, onclick: act }), " "]));
    return entry;
  }

  const count = (number, where) => (number === 1 ? `1 finding ${where}.` : `${number} findings ${where}.`);

  async function checkEditBox(field) {
    const { status, list } = panel();
    const text = field.value;
    const findings = placed(await ask("/v1/check", { text: text.toWellFormed() }));
    const show = ({ start, end }) => {
      field.focus();
      field.setSelectionRange(start, end);
    };
    const replace = (edit) => {
      if (field.value !== text) {
        status.textContent = "The text has changed since the check. Check it again.";
        return;
      }
      show(edit);
      // execCommand is the one way to change a field so that the browser's undo brings the old words back.
      document.execCommand(edit.replacement ? "insertText" : "delete", false, edit.replacement);
      run();
    };
    status.textContent = findings.length ? count(findings.length, "in this text") : "Nothing to report in this text.";
    list.replaceChildren(
      ...findings.map((finding) =>
        item(finding, [
          ["Show", () => show(finding)],
          ...finding.edits.map((edit) => [edit.replacement ? `Replace with “${edit.replacement}”` : "Leave out", () => replace(edit)]),
        ]),
      ),
    );
  }

  async function checkDiff(before, after) {
    const { status, list } = panel();
    const query = { action: "query", prop: "revisions", rvprop: "ids|content", rvslots: "main", revids: [before, after], formatversion: 2 };
    const { query: answer } = await new mw.Api().get(query);
    const texts = new Map(answer.pages.flatMap((page) => page.revisions.map((one) => [one.revid, one.slots.main.content])));
    const report = await ask("/v1/compare", { before: texts.get(before) ?? "", after: texts.get(after) });
    const findings = placed(report);
    status.textContent = findings.length ? count(findings.length, "introduced by this edit") : "This edit introduces nothing to report.";
    list.replaceChildren(...findings.map((finding) => item(finding, [])));
  }

  async function run() {
    const field = document.getElementById("wpTextbox1");
    const [before, after] = [mw.config.get("wgDiffOldId"), mw.config.get("wgDiffNewId")];
    if (!sessionStorage.getItem(TOKEN)) sessionStorage.setItem(TOKEN, prompt("The token of your unslant server:") ?? "");
    try {
      if (field) await checkEditBox(field);
      else await checkDiff(before, after);
    } catch (error) {
      panel().status.textContent = error.message;
    }
  }

  mw.loader.using(["mediawiki.util", "mediawiki.api"]).then(() => {
    if (!document.getElementById("wpTextbox1") && !mw.config.get("wgDiffNewId")) return;
    const link = mw.util.addPortletLink("p-cactions", "#", "Check neutrality", "ca-unslant", "Ask the unslant server on this machine");
    link.addEventListener("click", (event) => {
      event.preventDefault();
      run();
    });
  });
})();
