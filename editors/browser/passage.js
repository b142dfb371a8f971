// What is checked: the field that has the focus, or else the article on the page. Each kind of passage has a text, knows
// the place of a stretch of it on the screen, and, if it is a field, can replace one.

(() => {
  const LEFT_OUT = "script, style, noscript, template, nav, aside, header, footer, form, button, select, pre, code, figure, [hidden], [aria-hidden=true]";
  const BLOCK = /^(block|flex|grid|list-item|table|table-cell|table-row|flow-root)/;
  const TEXT_INPUTS = new Set(["text", "search"]);

  /** The element that has the focus, inside open shadow trees too. */
  function focused() {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element;
  }

  /** Collect the visible text below an element, with a blank line between blocks and the place of every text node. */
  function collect(root, leaveOut) {
    const pieces = [];
    let text = "";
    let block = null;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
      if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT;
      if (leaveOut && node.matches(LEFT_OUT)) return NodeFilter.FILTER_REJECT;
      return node.checkVisibility() ? NodeFilter.FILTER_SKIP : NodeFilter.FILTER_REJECT;
    });
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (!node.data.trim() && !text.endsWith(" ")) {
        if (text && !/\s$/.test(text)) text += " ";
        continue;
      }
      let owner = node.parentElement;
      while (owner !== root && !BLOCK.test(getComputedStyle(owner).display)) owner = owner.parentElement;
      if (block && owner !== block) text += "\n\n";
      block = owner;
      pieces.push({ node, start: text.length });
      // Line ends inside a text node are spaces on the screen.
      text += node.data.replace(/\s/g, " ");
    }
    return { text, pieces };
  }

  function place(pieces, offset, atEnd) {
    let low = 0;
    for (let index = 1; index < pieces.length; index += 1) {
      if (pieces[index].start < offset || (!atEnd && pieces[index].start === offset)) low = index;
      else break;
    }
    const { node, start } = pieces[low];
    return [node, Math.min(offset - start, node.data.length)];
  }

  class ElementPassage {
    constructor(root, editable) {
      this.root = root;
      this.editable = editable;
      this.read();
    }

    read() {
      ({ text: this.text, pieces: this.pieces } = collect(this.root, !this.editable));
    }

    range({ start, end }) {
      const range = new Range();
      range.setStart(...place(this.pieces, start, false));
      range.setEnd(...place(this.pieces, end, true));
      return range;
    }

    mark(stretches) {
      CSS.highlights.set("unslant", new Highlight(...stretches.map((one) => this.range(one))));
    }

    show(stretch) {
      const range = this.range(stretch);
      CSS.highlights.set("unslant-current", new Highlight(range));
      range.startContainer.parentElement.scrollIntoView({ block: "center" });
    }

    replace(stretch, words) {
      const selection = getSelection();
      this.root.focus();
      selection.removeAllRanges();
      selection.addRange(this.range(stretch));
      insert(words);
    }

    release() {
      CSS.highlights.delete("unslant");
      CSS.highlights.delete("unslant-current");
    }
  }

  // execCommand is the one way to change a field so that the browser's undo brings the old words back.
  const insert = (words) => document.execCommand(words ? "insertText" : "delete", false, words);

  const COPIED = ["font", "letterSpacing", "lineHeight", "padding", "border", "textIndent", "textAlign", "wordSpacing", "tabSize", "direction"];

  class FieldPassage {
    constructor(field) {
      this.root = field;
      this.editable = true;
      // A copy of the text lies over the field; only its underlines can be seen.
      this.copy = document.createElement("div");
      this.follow = () => {
        this.copy.scrollTop = field.scrollTop;
        this.copy.scrollLeft = field.scrollLeft;
      };
      field.addEventListener("scroll", this.follow);
      this.read();
    }

    read() {
      this.text = this.root.value;
    }

    attach(tree) {
      tree.append(this.copy);
    }

    layout() {
      const style = getComputedStyle(this.root);
      const box = this.root.getBoundingClientRect();
      for (const name of COPIED) this.copy.style[name] = style[name];
      Object.assign(this.copy.style, {
        position: "absolute",
        left: `${box.left + scrollX}px`,
        top: `${box.top + scrollY}px`,
        width: `${box.width}px`,
        height: `${box.height}px`,
        boxSizing: "border-box",
        overflow: "hidden",
        whiteSpace: this.root.localName === "input" ? "pre" : "pre-wrap",
        overflowWrap: "break-word",
        borderColor: "transparent",
        color: "transparent",
        background: "none",
        pointerEvents: "none",
      });
    }

    mark(stretches) {
      this.layout();
      this.copy.replaceChildren();
      this.spans = [];
      let from = 0;
      for (const { start, end } of stretches) {
        const words = document.createElement("span");
        words.className = "words";
        words.textContent = this.text.slice(start, end);
        this.copy.append(this.text.slice(from, start), words);
        this.spans.push(words);
        from = end;
      }
      this.copy.append(this.text.slice(from), "\n");
      this.follow();
    }

    show({ start, end }) {
      this.root.focus();
      this.root.setSelectionRange(start, end);
      this.root.scrollIntoView({ block: "nearest" });
    }

    replace({ start, end }, words) {
      this.root.focus();
      this.root.setSelectionRange(start, end);
      insert(words);
    }

    release() {
      this.root.removeEventListener("scroll", this.follow);
      this.copy.remove();
    }
  }

  /** The passage that the reader means. */
  function choose() {
    const element = focused();
    if (element?.localName === "textarea" || (element?.localName === "input" && TEXT_INPUTS.has(element.type))) {
      return new FieldPassage(element);
    }
    if (element?.isContentEditable) return new ElementPassage(element, true);
    const candidates = [...document.querySelectorAll("article, main, [role=main]")];
    const longest = candidates.sort((a, b) => b.textContent.length - a.textContent.length)[0];
    return new ElementPassage(longest ?? document.body, false);
  }

  globalThis.unslantPassage ??= { choose };
})();
