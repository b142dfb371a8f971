// Requests to the server that served this page.

/** An error from the server: a message for the writer, and its status; 0 if the server did not respond. */
export class ServerError extends Error {
  constructor(message, status = 0, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const TOKEN = "unslant-token";

/** Keep the token for this tab only. */
export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

/** Whether a token was given before. */
export const hasToken = () => Boolean(sessionStorage.getItem(TOKEN));

async function request(path, body) {
  const headers = { "Content-Type": "application/json" };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(path, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.ok) return await answer.json();
  } catch {
    throw new ServerError("The server does not respond. Is “unslant serve” still running?");
  }
  throw new ServerError(await explanation(answer), answer.status, Number(answer.headers.get("Retry-After")) || 0);
}

const MEANINGS = {
  401: "This server requires a token.",
  413: "This is too long for the server at once.",
  500: "The server failed on a passage; this is a bug in unslant.",
  503: "The server is busy.",
  504: "The server took too long.",
};

async function explanation(answer) {
  if (MEANINGS[answer.status]) return MEANINGS[answer.status];
  const body = await answer.json().catch(() => ({}));
  const detail = body.error?.message ?? body.message ?? body.detail;
  return typeof detail === "string" ? detail : `The server could not check this text (status ${answer.status}).`;
}

// A lone surrogate is not text; its replacement has the same length, so positions stay valid.
const wellFormed = (text) => (text.toWellFormed ? text.toWellFormed() : text);
/** The chunks of a text as the server reads them; what stands around a chunk is sent only if there is any. */
const items = (chunks, format) =>
  chunks.map(({ text, before, after, senses }) => ({
    text: wellFormed(text),
    format,
    ...(before && { before: wellFormed(before) }),
    ...(after && { after: wellFormed(after) }),
    ...(senses && { senses }),
  }));

/** Check several chunks; returns a report, or an error message with its status, for each. */
export async function checkAll(chunks, format = "text", settings = {}) {
  const answer = await request("v1/check", { items: items(chunks, format), segments: true, settings });
  return answer.items.map((item) => item.report ?? { error: item.error?.message ?? String(item.error), status: item.status });
}

/** Check a whole text; returns the report as JSON. */
export function check(text, format = "text", settings = {}) {
  return request("v1/check", { text: wellFormed(text), format, settings });
}

/** Rewrite several chunks; returns a result, or null, for each. */
export async function fixAll(chunks, format = "text", settings = {}) {
  const answer = await request("v1/fix", { items: items(chunks, format), settings });
  return answer.items.map((item) => item.fixed);
}

/** Compare two versions of a text. */
export function compare(before, after, format = "text", settings = {}) {
  return request("v1/compare", { before: wellFormed(before), after: wellFormed(after), format, segments: true, settings });
}

/** The text of a Word or OpenDocument file, whose bytes are given in Base64: `{text, format, tracks_changes}`. */
export const documentText = (name, data) => request("v1/document/text", { name, data });

/** A Word document with tracked changes and comments: `{data, changes, comments, left}`. */
export function changedDocument(name, data, edits, comments) {
  const replaced = edits.map((edit) => ({ ...edit, replacement: wellFormed(edit.replacement) }));
  return request("v1/document/changes", { name, data, edits: replaced, comments: comments.map(({ start, end, text }) => ({ start, end, text: wellFormed(text) })) });
}

/** How much each word of a sentence counts for the model. */
export const explain = (text) => request("v1/explain", { text: wellFormed(text) });

/** The profile by which a text is judged, and the words that it uses in a sense of its own: `{profile, senses}`. */
export const about = (text, format) => request("v1/profile", { text: wellFormed(text), format });

/** All profiles. */
export const profiles = () => request("v1/profiles");

/** All rules, for their titles. */
export const rules = () => request("v1/rules");

/** One rule with its source and examples. */
export const rule = (id) => request(`v1/rules/${id.split("/").map(encodeURIComponent).join("/")}`);
