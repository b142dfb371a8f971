// The browser extension in a real Chromium, against a real server that requires a token.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const EXTENSION = resolve(import.meta.dirname, "../../editors/browser");
const SERVER = process.env.UNSLANT_URL.replace(/\/$/, "");
const TOKEN = process.env.UNSLANT_TOKEN;
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-extensions-except=${EXTENSION}`,
  `--load-extension=${EXTENSION}`,
];
const PAGE = `<!doctype html><title>A page</title>
<nav>The legendary menu</nav>
<article><h1>The hall</h1><p>The <b>legendary</b> hall 🎻 opened in 1911.</p>
<p>Opponents slammed the plan.</p><pre>slammed</pre></article>
<textarea rows="4" cols="60">🎻 Opponents slammed the plan.</textarea>
<div contenteditable>The legendary hall opened.</div>`;

let context, worker, site, address;

before(async () => {
  site = createServer((_, answer) => answer.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(PAGE));
  await new Promise((done) => site.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${site.address().port}/`;
  context = await chromium.launchPersistentContext(await mkdtemp(join(tmpdir(), "unslant-")), {
    executablePath: process.env.UNSLANT_CHROMIUM ?? "/usr/bin/chromium",
    headless: false,
    args: ["--headless=new", ...FLAGS],
  });
  worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  await installed();
  await configure(TOKEN, /Connected/);
});
after(async () => {
  await context?.close();
  site?.close();
});

/** Wait for the options that open once installed: they may take the first empty tab, also one that is about to go there. */
async function installed() {
  while (!context.pages().some((page) => page.url().endsWith("/options.html"))) await new Promise((done) => setTimeout(done, 50));
}

/** Enter address and token in the options, as a person does. */
async function configure(token, expected, server = SERVER) {
  const page = await context.newPage();
  await page.goto(worker.url().replace("background.js", "options.html"));
  await page.waitForFunction(() => document.getElementById("address").value);
  await page.fill("#address", server);
  await page.fill("#token", token);
  await page.click("button");
  await page.waitForFunction((source) => new RegExp(source).test(document.getElementById("state").textContent), expected.source);
  await page.close();
}

/** Press the button of the extension on a page. */
const press = (page) =>
  worker.evaluate(async (url) => {
    const [tab] = await chrome.tabs.query({ url });
    chrome.action.onClicked.dispatch(tab);
  }, page.url());

/** Run a function where the extension's own scripts run; the page's scripts cannot get there. */
const inside = (page, func, ...args) =>
  worker.evaluate(
    async ([url, source, values]) => {
      const [tab] = await chrome.tabs.query({ url });
      const run = { listed: () => [...globalThis.unslantSession.panel.list.querySelectorAll(".found")].map((one) => one.textContent),
        said: () => globalThis.unslantSession?.panel.summary.textContent ?? null,
        marked: () => [...(CSS.highlights.get("unslant") ?? [])].map(String),
        underlined: () => globalThis.unslantSession.passage.spans.map((one) => one.textContent),
        box: (label) => {
          const button = [...globalThis.unslantSession.panel.tree.querySelectorAll("button")].find((one) => one.textContent.startsWith(label));
          const { x, y, width, height } = button.getBoundingClientRect();
          return [x + width / 2, y + height / 2];
        } }[source];
      const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, func: run, args: values });
      return result;
    },
    [page.url(), func, args],
  );

async function until(ask, matches) {
  let last;
  for (let tries = 0; tries < 100; tries += 1) {
    last = await ask().catch((error) => error.message);
    if (matches(last)) return last;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail(`still ${JSON.stringify(last)}`);
}
const found = (page) => until(() => inside(page, "said"), (text) => /finding|Nothing/.test(text));
const click = async (page, label) => page.mouse.click(...(await inside(page, "box", label)));

async function onSite(story) {
  const page = await context.newPage();
  await page.goto(`${address}?${Math.random()}`);
  try {
    await story(page);
  } finally {
    await page.close();
  }
}

test("an article is underlined and summed up, without what is not prose", () =>
  onSite(async (page) => {
    const before = await page.content();
    await press(page);
    assert.match(await found(page), /^2 findings in \d+ words: loaded words 2\.$/);
    assert.deepEqual(await inside(page, "marked"), ["legendary", "slammed"]);
    const image = process.env.UNSLANT_SCREENSHOT;
    if (image) await page.screenshot({ path: image });
    await press(page);
    await until(() => inside(page, "said"), (text) => text === null);
    assert.equal(await page.content(), before, "the page is as it was");
  }));

test("a field is underlined, and a wording goes in so that undo takes it out", () =>
  onSite(async (page) => {
    await page.focus("textarea");
    await press(page);
    await found(page);
    assert.deepEqual(await inside(page, "underlined"), ["slammed"]);
    await click(page, "Replace with “criticized”");
    await until(() => page.inputValue("textarea"), (text) => text === "🎻 Opponents criticized the plan.");
    await until(() => inside(page, "said"), (text) => /Nothing to report/.test(text));
    await page.focus("textarea");
    await page.keyboard.press("Control+z");
    assert.equal(await page.inputValue("textarea"), "🎻 Opponents slammed the plan.");
  }));

test("what is typed is checked again, and what is kept stays quiet", () =>
  onSite(async (page) => {
    await page.focus("[contenteditable]");
    await press(page);
    await found(page);
    assert.deepEqual(await inside(page, "listed"), ["legendary"]);
    await click(page, "Keep");
    assert.deepEqual(await inside(page, "marked"), []);
    await page.focus("[contenteditable]");
    await page.keyboard.press("End");
    await page.keyboard.type(" They slammed it.");
    await until(() => inside(page, "marked"), (words) => JSON.stringify(words) === '["slammed"]');
  }));

test("a page reaches neither the panel, nor the extension, nor the server", () =>
  onSite(async (page) => {
    await page.focus("textarea");
    await press(page);
    await found(page);
    assert.deepEqual(
      await page.evaluate(async (server) => {
        const tried = {
          tree: document.querySelector("unslant-panel").shadowRoot,
          session: globalThis.unslantSession ?? null,
          messages: globalThis.chrome?.runtime?.sendMessage ?? null,
        };
        tried.server = await fetch(`${server}/v1/check`, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"text": "a"}' }).then(
          (answer) => answer.status,
          () => "refused",
        );
        return tried;
      }, SERVER),
      { tree: null, session: null, messages: null, server: "refused" },
    );
  }));

test("a wrong token and a server elsewhere are refused in words", async () => {
  await configure("wrong", /The token is wrong/);
  await configure("", /token/);
  await configure(TOKEN, /must run on this machine/, "https://example.org");
  await configure(TOKEN, /Connected/);
});
