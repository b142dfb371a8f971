// Word documents: dropped in, changed on the page, and downloaded with tracked changes. UNSLANT_WORD names a document, UNSLANT_SAVED a
// folder in which the downloads are left for other tests.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { allRead, drop, expectListed, expectText, onPage, openCard, value } from "./harness.mjs";

const { UNSLANT_SAVED: SAVED, UNSLANT_WORD: WORD } = process.env;

async function saved(page, what) {
  await page.click("#exports summary");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-export=${what}]`)]);
  await download.saveAs(join(SAVED, `${what}.docx`));
  return download.suggestedFilename();
}

test("a Word document is read, fixed, and downloaded with tracked changes and comments", () =>
  onPage(async (page) => {
    await drop(page, "hall.docx", readFileSync(WORD));
    await page.waitForSelector(".toast:has-text('“hall.docx” is open. Export it with tracked changes.')");
    assert.match(await value(page), /^The hall & the quay\nThe legendary hall {2}opened in 1911\.\n/);
    assert.equal(await page.inputValue("#format"), "paragraphs");
    assert.equal(await page.textContent("#name"), "hall.docx");
    await expectListed(page, ["legendary", "so-called", "shameful"]);
    await openCard(page, "legendary");
    await page.click(".card .delete");
    await expectListed(page, ["so-called", "shameful"]);
    await page.locator("#text").evaluate((area) => {
      const at = area.value.indexOf("of it.");
      area.setRangeText("about it", at, at + 5);
      area.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
    await allRead(page);
    assert.equal(await saved(page, "tracked"), "hall.reviewed.docx");
    await expectText(page, ".toast", /^2 tracked changes\.$/);
    await saved(page, "commented");
    await expectText(page, ".toast", /^2 tracked changes, 1 comment\.$/);
  }));

test("the document is still there after a reload, and a new paragraph is said to be left out", () =>
  onPage(async (page) => {
    await page.setInputFiles("#file", { name: "hall.docx", mimeType: "application/zip", buffer: readFileSync(WORD) });
    await page.waitForFunction(() => document.getElementById("text").value.includes("legendary"));
    await page.waitForFunction(() => sessionStorage.getItem("unslant-draft")?.includes("legendary"));
    await page.reload();
    await allRead(page);
    await page.locator("#text").evaluate((area) => {
      area.setRangeText("A new paragraph.\n", 20, 20);
      area.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
    await openCard(page, "legendary");
    await page.click(".card .delete");
    await allRead(page);
    await saved(page, "tracked");
    await expectText(page, ".toast", /^1 tracked change\. 1 change cannot be written into the document/);
    await page.fill("#text", "");
    await page.setInputFiles("#file", { name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("A plan.") });
    await page.waitForFunction(() => document.getElementById("text").value === "A plan.");
    await page.click("#exports summary");
    assert.equal(await page.locator("[data-export=tracked]").isVisible(), false, "a text file has no tracked changes");
  }));

test("what is no document, and what declares entities, is refused in a sentence", () =>
  onPage(
    async (page) => {
      await drop(page, "broken.docx", Buffer.from("PK\x03\x04 not really"));
      await page.waitForSelector(".toast:has-text('broken.docx is no .docx or .odt document')");
      await drop(page, "bomb.docx", readFileSync(process.env.UNSLANT_BOMB));
      await page.waitForSelector(".toast:has-text('bomb.docx declares entities')");
      assert.equal(await value(page), "");
    },
    { expects: /status of 422/ },
  ));
