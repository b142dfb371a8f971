// The difference between two texts, word by word.

const TOKEN = /\s+|[\p{L}\p{M}\p{N}_]+(?:['’-][\p{L}\p{M}\p{N}_]+)*|[^\s]/gu;
const MOST = 4_000_000;

/** The parts of a change in order: `{type, text}`, where the type is "same", "del" or "ins". */
export function diff(before, after) {
  const [old, now] = [before.match(TOKEN) ?? [], after.match(TOKEN) ?? []];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const [from, to] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  // Two versions that have nothing in common are not worth minutes.
  const middle = from.length * to.length > MOST ? [...from.map((text) => ["del", text]), ...to.map((text) => ["ins", text])] : aligned(from, to);
  return joined([...old.slice(0, head).map((text) => ["same", text]), ...middle, ...old.slice(old.length - tail).map((text) => ["same", text])]);
}

/** Align two lists of words by their longest common subsequence. */
export function aligned(old, now) {
  const width = now.length + 1;
  const best = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const same = old[i] === now[j];
      best[i * width + j] = same ? best[(i + 1) * width + j + 1] + weight(old[i]) : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  const parts = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      parts.push(["same", old[i]]);
      i += 1;
      j += 1;
    } else if (i < old.length && (j === now.length || best[(i + 1) * width + j] >= best[i * width + j + 1])) {
      parts.push(["del", old[i]]);
      i += 1;
    } else {
      parts.push(["ins", now[j]]);
      j += 1;
    }
  }
  return parts;
}

/** A space in common is worth less than a word in common. */
const weight = (token) => (/\s/.test(token) ? 1 : 4);

/** Join neighbours of a type; within a change, what goes comes before what is new, and a space between two changes joins them. */
function joined(parts) {
  const runs = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [type, text] = parts[at];
    const between = type === "same" && /^\s+$/.test(text) && runs.at(-1)?.changed && parts[at + 1] && parts[at + 1][0] !== "same";
    if (type === "same" && !between) {
      if (runs.at(-1) && !runs.at(-1).changed) runs.at(-1).same += text;
      else runs.push({ changed: false, same: text });
      continue;
    }
    if (!runs.at(-1)?.changed) runs.push({ changed: true, del: "", ins: "" });
    const run = runs.at(-1);
    if (type !== "ins") run.del += text;
    if (type !== "del") run.ins += text;
  }
  return runs.flatMap((run) => (run.changed ? [["del", run.del], ["ins", run.ins]] : [["same", run.same]])).filter(([, text]) => text).map(([type, text]) => ({ type, text }));
}
