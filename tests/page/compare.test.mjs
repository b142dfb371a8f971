// Two versions of a text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { expectMarked, onPage, paste, value } from "./harness.mjs";

const BEFORE = "The legendary hall opened in 1911.\n\nIts chairman spoke 🙂.\n";
const AFTER = "The hall opened in 1911.\n\nIts chairman admitted that it leaks 🙂.\n";

test("what the change introduces, what it resolves, and what stays", () =>
  onPage(
    async (page) => {
      await paste(page, BEFORE, "#before");
      await paste(page, AFTER, "#after");
      await expectMarked(page, ["admitted that"], "#after-editor");
      await expectMarked(page, ["legendary"], "#before-editor");
      assert.equal(await page.textContent("#balance"), "The change introduces 1 finding");
      assert.deepEqual(await page.locator("#sums .sum").allTextContents(), ["1 introduced", "1 resolved", "1 unchanged"]);
      await page.click("#outcome li button >> nth=0");
      assert.equal(await page.locator("#after").evaluate((area) => area.selectionStart), AFTER.indexOf("admitted"));
      await page.click("#swap");
      await expectMarked(page, ["legendary"], "#after-editor");
      assert.equal(await value(page, "#before"), AFTER);
      await page.fill("#after", AFTER);
      await page.waitForFunction(() => document.getElementById("balance").textContent === "The change introduces no findings");
    },
    { hash: "#compare" },
  ));

test("the text under work is compared with how it came in", () =>
  onPage(async (page) => {
    await paste(page, BEFORE);
    await page.click("#findings li:nth-child(2) button");
    await page.click(".card .offers button");
    await page.click("#go-compare");
    assert.equal(await value(page, "#before"), BEFORE);
    assert.equal(await value(page, "#after"), BEFORE.replace("chairman", "chair"));
    await expectMarked(page, ["chairman"], "#before-editor");
    await page.goBack();
    assert.equal(await page.locator("#text").isVisible(), true);
  }));
