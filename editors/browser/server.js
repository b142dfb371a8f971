// Requests to the unslant server on this machine. Only this module knows the token.

const api = globalThis.browser ?? globalThis.chrome;

const DEFAULTS = { address: "http://127.0.0.1:8765", token: "" };
const LOOPBACK = new Set(["127.0.0.1", "localhost"]);

/** The longest text that is sent, in UTF-16 units; the server refuses more than its own limit in any case. */
export const LONGEST = 200_000;

/** Return the origin of an address on this machine; anything else is an error, so that no text leaves it. */
export function loopback(address) {
  let url;
  try {
    url = new URL(address);
  } catch {
    throw new Error("Enter an address such as http://127.0.0.1:8765.");
  }
  if (url.protocol !== "http:" || !LOOPBACK.has(url.hostname)) {
    throw new Error("The server must run on this machine: the address starts with http://127.0.0.1 or http://localhost.");
  }
  return url.origin;
}

/** The stored address and token. */
export const settings = () => api.storage.local.get(DEFAULTS);

export async function saveSettings(address, token) {
  await api.storage.local.set({ address: loopback(address), token: token.trim() });
}

const MEANINGS = {
  401: "The token is wrong. Copy it again from the server's token file into the options of the extension.",
  403: "The server does not accept this extension. Start it with --token-file and enter the token in the options.",
  413: "This text is too long for the server.",
  503: "The server is busy. Try again in a moment.",
};

async function request(path, body) {
  const { address, token } = await settings();
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(loopback(address) + path, {
      method: body ? "POST" : "GET",
      headers,
      body: body && JSON.stringify(body),
      credentials: "omit",
      redirect: "error",
      cache: "no-store",
    });
  } catch {
    throw new Error(`No server responds at ${address}. Run “unslant serve --token-file FILE” on this machine.`);
  }
  if (!answer.ok) throw new Error(MEANINGS[answer.status] ?? `The server refused the text (status ${answer.status}).`);
  return answer.json();
}

/** Check one text; returns its report with segments. */
export function check(text) {
  if (text.length > LONGEST) throw new Error("This text is too long to check in the browser.");
  // A lone surrogate is not text; its replacement has the same length, so positions stay valid.
  return request("/v1/check", { text: text.toWellFormed(), segments: true });
}

/** Ask for the list of analyzers, which needs the token: shows that address and token are right. */
export const connect = () => request("/v1/models");
