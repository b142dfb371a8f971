// The list of findings, in a closed shadow tree that scripts of the page cannot read or press.

(() => {
  const STYLE = `
    :host { all: initial; }
    .panel { position: fixed; z-index: 2147483647; right: 12px; bottom: 12px; width: min(360px, calc(100vw - 24px));
      max-height: min(60vh, 560px); display: flex; flex-direction: column; box-sizing: border-box;
      font: 14px/1.45 system-ui, sans-serif; color: #1d1d1f; background: #fff; border: 1px solid #c9c9ce;
      border-radius: 10px; box-shadow: 0 8px 30px rgb(0 0 0 / 22%); }
    header { display: flex; align-items: center; gap: 8px; padding: 10px 12px; border-bottom: 1px solid #e3e3e6; }
    h2 { font-size: 14px; margin: 0; flex: 1; }
    p { margin: 0; }
    .summary { padding: 8px 12px; }
    ul { list-style: none; margin: 0; padding: 0; overflow: auto; }
    li { padding: 10px 12px; border-top: 1px solid #e3e3e6; }
    .found { font-weight: 600; }
    .kind { color: #6b6b70; }
    button { font: inherit; color: inherit; background: #f3f3f5; border: 1px solid #c9c9ce; border-radius: 6px;
      padding: 4px 10px; margin: 6px 6px 0 0; cursor: pointer; }
    header button { margin: 0; }
    button.words { border: 0; background: none; padding: 0; margin: 0; text-align: left; text-decoration: underline; }
    button:focus-visible { outline: 2px solid #0b66d8; outline-offset: 1px; }
    div > span.words { text-decoration: underline wavy #b3541e; text-decoration-thickness: 2px; }
    @media (prefers-color-scheme: dark) {
      .panel { color: #f2f2f4; background: #1f1f23; border-color: #4a4a50; }
      header, li { border-color: #38383d; }
      .kind { color: #a9a9b0; }
      button { background: #303036; border-color: #55555c; }
    }`;

  const KINDS = { framing: "loaded words", epistemological: "certainty and doubt", demographic: "people and groups" };

  const create = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  class Panel {
    constructor({ onShow, onReplace, onDismiss, onClose }) {
      Object.assign(this, { onShow, onReplace, onDismiss });
      this.host = document.createElement("unslant-panel");
      this.tree = this.host.attachShadow({ mode: "closed" });
      this.summary = create("p", { className: "summary", role: "status" });
      this.list = create("ul");
      const close = create("button", { type: "button", textContent: "Close", onclick: onClose });
      const box = create("section", { className: "panel" }, create("header", {}, create("h2", { textContent: "unslant" }), close), this.summary, this.list);
      box.setAttribute("aria-label", "unslant: findings");
      box.addEventListener("keydown", (event) => event.key === "Escape" && onClose());
      this.tree.append(create("style", { textContent: STYLE }), box);
      document.documentElement.append(this.host);
    }

    say(message) {
      this.summary.textContent = message;
    }

    showFindings(findings, words, editable) {
      const counts = new Map();
      for (const { kind } of findings) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      const kinds = [...counts].map(([kind, count]) => `${KINDS[kind] ?? kind} ${count}`).join(", ");
      const what = findings.length === 1 ? "1 finding" : `${findings.length} findings`;
      this.say(findings.length ? `${what} in ${words} words: ${kinds}.` : `Nothing to report in ${words} words.`);
      this.list.replaceChildren(...findings.map((finding) => this.item(finding, editable)));
    }

    item(finding, editable) {
      const words = create("button", { type: "button", className: "words found", textContent: finding.text, onclick: () => this.onShow(finding) });
      const item = create("li", {}, create("p", {}, words), create("p", { textContent: finding.why }));
      if (!editable) return item;
      for (const edit of finding.edits) {
        const label = edit.replacement ? `Replace with “${edit.replacement}”` : "Leave out";
        item.append(create("button", { type: "button", textContent: label, onclick: () => this.onReplace(edit) }));
      }
      item.append(create("button", { type: "button", textContent: "Keep", onclick: () => this.onDismiss(finding) }));
      return item;
    }

    remove() {
      this.host.remove();
    }
  }

  globalThis.unslantPanel ??= Panel;
})();
