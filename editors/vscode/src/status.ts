/** What the status bar shows. Knows nothing of VS Code, so that it can be tested without. */

export type ServerState = "starting" | "running" | "stopped" | "failed";

export interface Status {
  text: string;
  tooltip: string;
  warning: boolean;
}

/** `findings` is the number of findings in the active document, or undefined if it is not checked. */
export function status(state: ServerState, findings: number | undefined): Status | undefined {
  if (state === "failed") {
    return { text: "$(error) unslant", tooltip: "unslant could not be started. Click to see the log.", warning: true };
  }
  if (findings === undefined || state === "stopped") {
    return undefined;
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

/** What the user is told after "Fix all safe". */
export function fixedMessage(before: number, changed: boolean): string {
  if (changed) {
    return "unslant: made all safe edits.";
  }
  return before === 0
    ? "unslant: nothing to fix."
    : "unslant: no safe edits; use the quick fixes to decide one by one.";
}
