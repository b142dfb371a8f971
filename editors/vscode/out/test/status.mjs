function status(state, findings) {
  if (state === "failed") {
    return { text: "$(error) unslant", tooltip: "unslant could not be started. Click to see the log.", warning: true };
  }
  if (findings === void 0 || state === "stopped") {
    return void 0;
  }
  if (state === "starting") {
    return { text: "$(sync~spin) unslant", tooltip: "unslant is starting.", warning: false };
  }
  if (findings === 0) {
    return { text: "$(check) unslant", tooltip: "No slanted wording found.", warning: false };
  }
  const what = findings === 1 ? "1 finding" : `${findings.toLocaleString("en")} findings`;
  return { text: `$(edit) unslant ${findings}`, tooltip: `${what}. Click to make all safe edits.`, warning: false };
}
function fixedMessage(before, changed) {
  if (changed) {
    return "unslant: made all safe edits.";
  }
  return before === 0 ? "unslant: nothing to fix." : "unslant: no safe edits; use the quick fixes to decide one by one.";
}
export {
  fixedMessage,
  status
};
