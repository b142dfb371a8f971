// The user script for MediaWiki in a real Chromium, against a real server. The wiki is a page with the elements and the few
// functions of MediaWiki that the script uses.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const SERVER = process.env.UNSLANT_URL.replace(/\/$/, "");
const TOKEN = process.env.UNSLANT_TOKEN;
const OLD = "The '''band''' split up in 1971.<ref>legendary</ref>";
const NEW = "The legendary '''band''' split up in 1971.<ref>legendary</ref>";
const EDITING = `<textarea id="wpTextbox1" rows="4" cols="60">🎻 [[Opponents]] slammed the {{legendary}} plan.</textarea>`;

const wiki = (content, config) => `<!doctype html><title>A wiki</title><ul id="p-cactions"></ul><div id="mw-content-text">${content}</div>
<script>
  const revisions = { 1: ${JSON.stringify(OLD)}, 2: ${JSON.stringify(NEW)} };
  window.mw = {
    config: new Map(Object.entries(${JSON.stringify(config)})),
    loader: { using: async () => {} },
    util: { addPortletLink(id, href, text, name) {
      const link = Object.assign(document.createElement("a"), { href, textContent: text, id: name });
      document.getElementById(id).append(link);
      return link;
    } },
    Api: class { async get({ revids }) {
      return { query: { pages: [{ revisions: revids.map((revid) => ({ revid, slots: { main: { content: revisions[revid] } } })) }] } };
    } },
  };
</script><script src="/unslant.js"></script>`;

let browser, site, address;

before(async () => {
  // The script asks the port of a server with default settings; the test's server has another.
  const script = (await readFile(new URL("../../editors/wiki/unslant.js", import.meta.url), "utf-8")).replace("http://127.0.0.1:8765", SERVER);
  const pages = {
    "/edit": wiki(EDITING, {}),
    "/diff": wiki("", { wgDiffOldId: 1, wgDiffNewId: 2 }),
    "/same": wiki("", { wgDiffOldId: 2, wgDiffNewId: 1 }),
    "/read": wiki("The legendary band", {}),
  };
  site = createServer(({ url }, answer) => {
    const type = url === "/unslant.js" ? "text/javascript" : "text/html";
    answer.writeHead(200, { "Content-Type": `${type}; charset=utf-8` }).end(url === "/unslant.js" ? script : pages[url]);
  });
  await new Promise((done) => site.listen(Number(process.env.WIKI_PORT), "127.0.0.1", done));
  address = `http://127.0.0.1:${process.env.WIKI_PORT}`;
  browser = await chromium.launch({
    executablePath: process.env.UNSLANT_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});
after(async () => {
  await browser?.close();
  site?.close();
});

async function onWiki(path, story, token = TOKEN) {
  const page = await browser.newPage();
  page.on("dialog", (dialog) => dialog.accept(token));
  await page.goto(address + path);
  try {
    await story(page);
  } finally {
    await page.close();
  }
}
const says = (page, text) => page.waitForFunction((wanted) => document.querySelector("#unslant [role=status]")?.textContent.includes(wanted), text);

test("the edit box: templates are left alone, a wording goes in, undo takes it out", () =>
  onWiki("/edit", async (page) => {
    await page.click("#ca-unslant");
    await says(page, "1 finding in this text.");
    assert.equal(await page.textContent("#unslant li b"), "slammed");
    await page.click("text=Replace with “criticized”");
    await says(page, "Nothing to report");
    assert.equal(await page.inputValue("#wpTextbox1"), "🎻 [[Opponents]] criticized the {{legendary}} plan.");
    await page.focus("#wpTextbox1");
    await page.keyboard.press("Control+z");
    assert.equal(await page.inputValue("#wpTextbox1"), "🎻 [[Opponents]] slammed the {{legendary}} plan.");
  }));

test("a diff: only what the edit introduces", async () => {
  await onWiki("/diff", async (page) => {
    await page.click("#ca-unslant");
    await says(page, "1 finding introduced by this edit.");
    assert.equal(await page.textContent("#unslant li b"), "legendary");
  });
  await onWiki("/same", async (page) => {
    await page.click("#ca-unslant");
    await says(page, "introduces nothing to report");
  });
});

test("a page that is only read has no link", () => onWiki("/read", async (page) => assert.equal(await page.$("#ca-unslant"), null)));

test("a wrong token is told", () =>
  onWiki(
    "/edit",
    async (page) => {
      await page.click("#ca-unslant");
      await says(page, "requires a token");
    },
    "wrong",
  ));
