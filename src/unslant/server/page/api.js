// Requests to the server that served this page.

/** An error from the server, with a message for the writer. */
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

async function request(path, body) {
  const headers = { "Content-Type": "application/json" };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(path, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
  } catch {
    throw new ServerError("The server is not responding. Is “unslant serve” still running?");
  }
  if (answer.ok) return answer.json();
  throw new ServerError(await explanation(answer), answer.status, Number(answer.headers.get("Retry-After")) || 0);
}

async function explanation(answer) {
  if (answer.status === 401) return "This server requires a token.";
  if (answer.status === 503) return "The server is busy. Trying again in a moment.";
  const body = await answer.json().catch(() => ({}));
  const detail = body.error?.message ?? body.message ?? body.detail;
  return typeof detail === "string" ? detail : `The server could not check this text (status ${answer.status}).`;
}

// A lone surrogate is not text; its replacement has the same length, so positions stay valid.
const wellFormed = (text) => (text.toWellFormed ? text.toWellFormed() : text);

/** Check several texts; returns a report or an error message for each. */
export async function checkAll(texts) {
  const items = texts.map((text) => ({ text: wellFormed(text) }));
  const answer = await request("v1/check", { items, segments: true });
  return answer.items.map((item) => item.report ?? { error: item.error?.message ?? String(item.error) });
}

/** Check a whole text; returns the report as JSON. */
export function check(text) {
  return request("v1/check", { text: wellFormed(text) });
}

/** Compare two versions of a text. */
export function compare(before, after) {
  return request("v1/compare", { before: wellFormed(before), after: wellFormed(after), segments: true });
}
