// When the server is busy, away, or fails: each has a message and a way on, and the text stays.

import assert from "node:assert/strict";
import { test } from "node:test";
import { TEXT, WORDS, expectMarked, expectText, onPage, value } from "./harness.mjs";

const refuse = (status, times = 1, headers = {}) => (page) => page.route("**/v1/check", (route) => route.fulfill({ status, headers, json: { error: { code: "x", message: "refused" } } }), { times });
const EXPECTED = /status of \d+|ERR_/;

test("a busy server is asked again by itself", () =>
  onPage(
    async (page) => {
      await refuse(503, 2, { "Retry-After": "1" })(page);
      await page.fill("#text", TEXT);
      await expectText(page, "#state", /^The server is busy\. Trying again in \d+ s\.$/);
      await page.waitForSelector("#waiting", { state: "visible" }); // a skeleton while waiting
      await expectMarked(page, WORDS);
      await expectText(page, "#state", /^Checked$/);
      assert.equal(await page.locator("#retry").isVisible(), false);
    },
    { expects: EXPECTED },
  ));

test("after a restart of the server, the page goes on by itself or at a click", () =>
  onPage(
    async (page) => {
      await page.route("**/v1/check", (route) => route.abort());
      await page.fill("#text", TEXT);
      await expectText(page, "#state", /^The server does not respond\..*Trying again in \d+ s\.$/);
      await expectText(page, "#state", /Trying again in 2 s/);
      await page.unroute("**/v1/check");
      await page.click("#retry");
      await expectMarked(page, WORDS);
      await expectText(page, "#state", /^Checked$/);
    },
    { expects: EXPECTED },
  ));

for (const [status, said] of [[500, /failed on a passage.*Everything else is checked/], [504, /took too long.*Everything else is checked/], [413, /too long for the server.*blank lines/]]) {
  test(`a passage that the server refuses with ${status} does not stop the rest`, () =>
    onPage(
      async (page) => {
        // Whatever contains the word is refused, alone or together with others.
        await page.route("**/v1/check", (route) =>
          route.request().postDataJSON().items.some(({ text }) => text.includes("stumble")) ? route.fulfill({ status, json: {} }) : route.continue(),
        );
        await page.fill("#text", `${TEXT}\nThe legendary stumble.\n`);
        await expectMarked(page, WORDS);
        await expectText(page, "#state", said);
        assert.equal(await page.locator("#retry").isVisible(), status !== 413);
        assert.match(await value(page), /stumble/);
        if (status === 413) return;
        await page.unroute("**/v1/check");
        await page.click("#retry");
        await expectMarked(page, [...WORDS, "legendary"]);
        await expectText(page, "#state", /^Checked$/);
      },
      { expects: EXPECTED },
    ));
}

test("a server with a token is asked with it; a wrong one can be corrected", () =>
  onPage(
    async (page) => {
      await page.route("**/v1/check", (route) =>
        route.request().headers().authorization === "Bearer sesame" ? route.continue() : route.fulfill({ status: 401, json: {} }),
      );
      await page.fill("#text", TEXT);
      await page.waitForSelector("#token[open]");
      assert.equal(await page.locator("#token-problem").isVisible(), false);
      await page.fill("#token-value", "barley");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#token-problem", { state: "visible" });
      await page.fill("#token-value", "sesame");
      await page.keyboard.press("Enter");
      await expectMarked(page, WORDS);
      assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes("sesame")), false, "the token is kept for this tab only");
    },
    { expects: EXPECTED },
  ));
