// Asks, in the message after a wording was kept, why; the answer is optional.

import { el } from "./dom.js";
import { REASONS } from "./words.js";

/** Show the reasons in a message; `say(reason, note)` gets the answer. */
export function askWhy(node, say) {
  if (node.querySelector(".reasons")) return;
  const done = (reason, note) => {
    say(reason, note);
    node.remove();
  };
  const note = el("input", { type: "text", maxLength: 200, placeholder: "Another reason", aria: { label: "Another reason" } });
  const form = el("form", { className: "note" }, note, el("button", {}, "Save"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (note.value.trim()) done("other", note.value.trim());
    else note.focus();
  });
  const choices = REASONS.map((reason) => el("button", { type: "button", data: { reason: reason.name }, on: { click: () => done(reason.name, "") } }, reason.text));
  node.append(el("div", { className: "reasons", role: "group", aria: { label: "Why keep it?" } }, ...choices, form));
  node.querySelector(".reasons button").focus();
}
