// Two versions of a text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { expectMarked, onPage, openCard, paste, value } from "./harness.mjs";

const BEFORE = "The legendary hall opened in 1911.\n\nAsk the firemen 🙂.\n";
const AFTER = "The hall opened in 1911.\n\nAsk the firemen, who admitted that it leaks 🙂.\n";

test("what the change introduces, what it resolves, and what stays", () =>
  onPage(
    async (page) => {
      await paste(page, BEFORE, "#before");
      await paste(page, AFTER, "#after");
      await expectMarked(page, ["admitted that"], "#after-editor");
      await expectMarked(page, ["legendary"], "#before-editor");
      assert.equal(await page.textContent("#balance"), "The change introduces 1 finding");
      assert.deepEqual(await page.locator("#sums .sum").allTextContents(), ["1 introduced", "1 resolved", "1 unchanged"]);
      assert.deepEqual(await page.locator("#word-diff del").allTextContents(), ["legendary "]);
      assert.deepEqual(await page.locator("#word-diff ins").allTextContents(), [", who admitted that it leaks"]);
      await page.click("#outcome li button >> nth=0");
      assert.equal(await page.locator("#after").evaluate((area) => area.selectionStart), AFTER.indexOf("admitted"));
      await page.click("#swap");
      await expectMarked(page, ["legendary"], "#after-editor");
      assert.equal(await value(page, "#before"), AFTER);
      await page.fill("#after", AFTER.replace("opened", "was opened"));
      await page.waitForFunction(() => document.getElementById("balance").textContent === "The change introduces no findings");
      await page.fill("#after", AFTER);
      await page.waitForFunction(() => document.getElementById("balance").textContent === "The versions are the same");
      assert.match(await page.textContent("#outcome"), /A diff copied from a wiki or from git/);
      await expectMarked(page, [], "#before-editor");
    },
    { hash: "#compare" },
  ));

test("the text under work is compared with how it came in", () =>
  onPage(async (page) => {
    await paste(page, BEFORE);
    await openCard(page, "legendary");
    await page.click(".card .use-sentence");
    await page.click("#go-compare");
    assert.equal(await value(page, "#before"), BEFORE);
    assert.equal(await value(page, "#after"), BEFORE.replace(" legendary", ""));
    await expectMarked(page, ["legendary"], "#before-editor");
    await page.goBack();
    assert.equal(await page.locator("#text").isVisible(), true);
  }));
