// Starts Chromium, opens the page, and watches that it asks nobody but its own server.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

export const URL_ = process.env.UNSLANT_URL ?? "http://127.0.0.1:8765/";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.UNSLANT_CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
});
after(async () => browser?.close());

/**
 * Run `story(page)` on a fresh page; it fails on any script error and on any request to another host. Chromium reports
 * refusals of the server as errors; `expects` matches those that the story provokes.
 */
export async function onPage(story, { hash = "", expects = null, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && troubles.push(`console: ${message.text()}`));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== new URL(URL_).origin) troubles.push(`asked ${request.url()}`);
  });
  try {
    await page.goto(`${URL_}${hash}`);
    await story(page);
    assert.deepEqual(troubles.filter((one) => !expects?.test(one)), []);
  } finally {
    if (!page.isClosed()) await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }
}

/** A text with a finding of each kind. */
export const TEXT = "The legendary hall opened in 1911.\n\nAsk the firemen, who admitted that the roof leaks.\n";
export const WORDS = ["legendary", "firemen", "admitted that"];
/** The words that go, in the order of the list, which puts suggestions last. */
export const LISTED = ["legendary", "admitted", "firemen"];

/** Put in a text as pasting does, and wait until it has been read. */
export async function paste(page, text, selector = "#text") {
  await page.focus(selector);
  await page.evaluate(
    ([where, words]) => {
      const area = document.querySelector(where);
      area.setRangeText(words, area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
    },
    [selector, text],
  );
  if (selector === "#text") await allRead(page);
}

export const allRead = (page) => page.waitForFunction(() => document.getElementById("state").textContent === "Checked");

/** The words that are underlined, in order. */
export const marked = (page, scope = "#editor") => page.locator(`${scope} mark`).allTextContents();

/** Wait until exactly these words are underlined. */
export async function expectMarked(page, words, scope = "#editor") {
  await page
    .waitForFunction(
      ([where, wanted]) => JSON.stringify([...document.querySelectorAll(`${where} mark`)].map((one) => one.textContent)) === wanted,
      [scope, JSON.stringify(words)],
      { timeout: 20_000 },
    )
    .catch(() => undefined);
  assert.deepEqual(await marked(page, scope), words);
}

/** Wait until the list beside the text holds exactly these findings: it follows the marks a moment later. */
export const expectListed = (page, words) =>
  page.waitForFunction(
    (wanted) => {
      const items = [...document.querySelectorAll("#findings li, #weaker-findings li")];
      return items.length === wanted.length && items.every((item, at) => item.textContent.includes(wanted[at]));
    },
    words,
    { timeout: 10_000 },
  );

/** Move the pointer onto the first line of the underlined words. */
export async function pointAt(page, words) {
  const box = await page.locator("#editor mark", { hasText: words }).first().evaluate((mark) => {
    const [first] = mark.getClientRects();
    return { x: first.left + first.width / 2, y: first.top + first.height / 2 };
  });
  await page.mouse.move(box.x, box.y);
  return box;
}

export const value = (page, selector = "#text") => page.locator(selector).inputValue();
export const card = (page) => page.locator(".card");

/** Open the card of listed words, and wait for what the rewriter says about them. */
export async function openCard(page, words) {
  const item = page.locator(".findings li", { hasText: words }).first();
  // The list follows the marks a moment later; before that, the item is not folded but missing.
  await item.waitFor({ state: "attached" });
  if (await item.isHidden()) await page.click("#weaker-count");
  await item.locator("button").click();
  await page.waitForSelector(".card .rewording[aria-busy=false]");
}

/** Drop a file on the page. */
export async function drop(page, name, bytes) {
  const transfer = await page.evaluateHandle(
    ([file, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(content)], file));
      return data;
    },
    [name, [...bytes]],
  );
  await page.dispatchEvent("#text", "dragover", { dataTransfer: transfer });
  assert.equal(await page.locator("#drop").isVisible(), true);
  await page.dispatchEvent("#text", "drop", { dataTransfer: transfer });
}

/** Wait until an element has this text. */
export const expectText = (page, selector, text) =>
  page.waitForFunction(([where, wanted]) => new RegExp(wanted).test(document.querySelector(where)?.textContent ?? ""), [selector, text.source ?? text]);
