// Short messages at the bottom of the page, with an undo button if possible.

import { announce, byId, el } from "./dom.js";

const STAY = 7_000;

/** Show a message; `action` is `{label, run}`. It stays while it has the pointer or the focus. */
export function toast(message, action = null) {
  const box = byId("toasts");
  const node = el("div", { className: "toast" }, el("span", {}, message));
  const leave = () => node.remove();
  let timer = setTimeout(leave, STAY);
  if (action) {
    const run = () => {
      leave();
      action.run();
    };
    node.append(el("button", { type: "button", on: { click: run } }, action.label));
  }
  for (const event of ["pointerenter", "focusin"]) node.addEventListener(event, () => clearTimeout(timer));
  for (const event of ["pointerleave", "focusout"]) {
    node.addEventListener(event, () => {
      clearTimeout(timer);
      timer = setTimeout(leave, STAY);
    });
  }
  box.replaceChildren(node);
  announce(message);
}
