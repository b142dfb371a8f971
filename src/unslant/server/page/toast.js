// Short messages at the foot of the page, with a way back where there is one.

import { announce, byId, el } from "./dom.js";

const STAY = 7_000;

/** Say what happened; `action` is `{label, run}`. Stays while the pointer or the keyboard is on it. */
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
