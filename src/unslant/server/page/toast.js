// Short messages at the bottom of the page, with buttons such as undo.

import { announce, byId, el } from "./dom.js";

const STAY = 9_000;

/** Show a message; `actions` are `{label, run}`. It stays while it has the pointer or the focus. Returns a function that closes it. */
export function toast(message, ...actions) {
  const box = byId("toasts");
  const node = el("div", { className: "toast" }, el("span", {}, message));
  const leave = () => node.remove();
  let timer = setTimeout(leave, STAY);
  for (const { label, run, stays = false } of actions.filter(Boolean)) {
    const click = () => {
      if (!stays) leave();
      run(node);
    };
    node.append(el("button", { type: "button", on: { click } }, label));
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
  return leave;
}
