// Checks the passage, and again when it changes. Pressing the button a second time closes the panel.

(() => {
  const api = globalThis.browser ?? globalThis.chrome;
  const PAUSE = 600;

  if (globalThis.unslantSession) {
    globalThis.unslantSession.close();
    return;
  }

  class Session {
    constructor() {
      this.passage = globalThis.unslantPassage.choose();
      this.kept = new Set();
      this.panel = new globalThis.unslantPanel({
        onShow: (finding) => this.passage.show(finding),
        onReplace: (edit) => this.replace(edit),
        onDismiss: (finding) => this.keep(finding),
        onClose: () => this.close(),
      });
      this.passage.attach?.(this.panel.tree);
      this.changed = () => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.check(), PAUSE);
      };
      if (this.passage.editable) this.passage.root.addEventListener("input", this.changed);
      this.check();
    }

    async check() {
      this.passage.read();
      const { text } = this.passage;
      if (!text.trim()) {
        this.panel.say("There is no text to check here.");
        return;
      }
      this.panel.say("Checking…");
      const { report, error } = await api.runtime.sendMessage({ check: text });
      if (globalThis.unslantSession !== this || text !== this.passage.text) return;
      if (error) this.panel.say(error);
      else this.show(placed(report));
    }

    show(findings) {
      this.findings = findings.filter((finding) => !this.kept.has(finding.fingerprint));
      this.passage.mark(this.findings);
      this.panel.showFindings(this.findings, this.passage.text.match(/\p{L}[\p{L}\p{M}'’-]*/gu)?.length ?? 0, this.passage.editable);
    }

    keep(finding) {
      this.kept.add(finding.fingerprint);
      this.show(this.findings);
    }

    replace(edit) {
      const { text } = this.passage;
      this.passage.read();
      // The writer typed since the last check: its positions no longer hold, and a new check is on its way.
      if (this.passage.text === text) this.passage.replace(edit, edit.replacement);
      clearTimeout(this.timer);
      this.check();
    }

    close() {
      clearTimeout(this.timer);
      this.passage.root.removeEventListener("input", this.changed);
      this.passage.release();
      this.panel.remove();
      delete globalThis.unslantSession;
    }
  }

  /** The findings with positions in UTF-16 units: the server counts code points, and sends the text in segments. */
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

  globalThis.unslantSession = new Session();
})();
