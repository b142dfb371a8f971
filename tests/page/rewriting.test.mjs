// The sentence in the card and the whole text in Rewrite, with the rewriter's own answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { expectMarked, expectText, onPage, openCard, paste, value } from "./harness.mjs";

const TEXT = "Of course, the market was small. Opponents lambasted the plan 🙂.\n\nAsk the firemen, who whined that the roof leaks.\n";
const all = (page, selector) => page.locator(selector).allTextContents();

test("the card shows the whole sentence as a word diff, to use at once or word by word", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectMarked(page, ["Of course", "lambasted", "firemen", "whined"]);
    await openCard(page, "whined");
    assert.match(await page.textContent(".card .sentence"), /^Ask the firemen/);
    assert.deepEqual(await all(page, ".card .sentence del"), ["firemen", "whined"]);
    assert.match((await all(page, ".card .sentence ins")).join(" "), /^firefighters complained$/);
    assert.equal(await page.textContent(".card .held"), "Read it first.");
    await page.click(".card .use-word");
    assert.equal(await value(page), TEXT.replace("whined", "complained"));
    await page.click(".toast button:has-text('Undo')");
    await expectMarked(page, ["Of course", "lambasted", "firemen", "whined"]);
    await openCard(page, "whined");
    await page.click(".card .use-sentence");
    assert.match(await value(page), /Ask the firefighters, who complained that the roof leaks/);
    await expectMarked(page, ["Of course", "lambasted"]);
    await expectText(page, "#decided summary", /2 decisions/);
    await page.click(".toast button:has-text('Undo')");
    assert.equal(await value(page), TEXT);
    await page.waitForSelector("#decided", { state: "hidden" });
  }));

test("a safe wording says nothing against itself", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await openCard(page, "lambasted");
    assert.deepEqual(await all(page, ".card .sentence del"), ["lambasted"]);
    assert.deepEqual(await all(page, ".card .sentence ins"), ["criticized"]);
    assert.equal(await page.locator(".card .held").count(), 0);
    assert.equal(await page.locator(".card .use-word").count(), 0, "there is only one change in the sentence");
    await page.click(".card .use-sentence");
    assert.equal(await value(page), TEXT.replace("lambasted", "criticized"));
  }));

test("other wordings are one click away", () =>
  onPage(async (page) => {
    await paste(page, "Opponents lambasted the plan for mankind.\n");
    await expectMarked(page, ["lambasted", "mankind"]);
    await openCard(page, "mankind");
    const [other] = await all(page, ".card .offers bdi");
    assert.ok(!(await all(page, ".card .sentence ins")).includes(other));
    await page.locator(".card .offers button", { hasText: other }).click();
    assert.equal(await value(page), `Opponents lambasted the plan for ${other}.\n`);
  }));

test("rewrite: each change is accepted or rejected, and the result is used", () =>
  onPage(
    async (page) => {
      await paste(page, TEXT);
      await page.click("#go-rewrite");
      await expectText(page, "#rewrite-tally", /^4 changes: 0 accepted, 0 rejected, 4 to decide$/);
      assert.deepEqual(await all(page, ".change del"), ["Of course, the", "lambasted", "firemen", "whined"]);
      assert.equal(await page.textContent("#accept-safe"), "Accept 2 safe changes");
      await page.click("#accept-safe");
      await expectText(page, "#rewrite-tally", /2 accepted, 0 rejected, 2 to decide/);
      await page.locator(".change >> nth=2").locator("[data-decide=rejected]").click();
      await page.locator(".change >> nth=3").locator("[data-decide=accepted]").focus();
      await page.keyboard.press("a");
      await expectText(page, "#rewrite-tally", /3 accepted, 1 rejected, 0 to decide/);
      const wanted = "The market was small. Opponents criticized the plan 🙂.\n\nAsk the firemen, who complained that the roof leaks.\n";
      await page.click("[data-view=after]");
      assert.equal(await page.textContent("#rewritten"), wanted);
      await page.click("[data-view=before]");
      assert.equal(await page.textContent("#rewritten"), TEXT);
      await page.click("#copy-result");
      await page.waitForSelector(".toast:has-text('copied')");
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), wanted);
      await page.click("#use-result");
      assert.equal(await value(page), wanted);
      await page.click(".toast button:has-text('Undo')");
      assert.equal(await value(page), TEXT);
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
  ));

test("rewrite: the decision can be changed, all can be decided at once, and a failure has a way on", () =>
  onPage(
    async (page) => {
      await page.route("**/v1/fix", (route) => route.fulfill({ status: 504, json: {} }), { times: 1 });
      await paste(page, TEXT);
      await page.click("#go-rewrite");
      await expectText(page, "#rewrite-tally", /took too long/);
      await page.click("#rewrite-retry");
      await expectText(page, "#rewrite-tally", /^4 changes/);
      await page.click("#reject-all");
      await expectText(page, "#rewrite-tally", /4 rejected/);
      assert.equal(await page.isDisabled("#use-result"), true);
      await page.locator(".change >> nth=0").locator("[data-decide=accepted]").click();
      await expectText(page, "#rewrite-tally", /1 accepted, 3 rejected/);
      await page.locator(".change >> nth=0").locator("[data-decide=accepted]").click();
      await expectText(page, "#rewrite-tally", /0 accepted, 3 rejected, 1 to decide/);
      await page.click("#accept-all");
      await expectText(page, "#rewrite-tally", /1 accepted, 3 rejected/);
    },
    { expects: /status of 504/ },
  ));
