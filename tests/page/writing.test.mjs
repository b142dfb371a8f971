// Writing with the pointer and with the keyboard alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { allRead, card, expectListed, expectMarked, onPage, paste, pointAt, value } from "./harness.mjs";

const TEXT = "The legendary hall opened in 1911.\n\nIts chairman admitted that the roof leaks.\n";
const WORDS = ["legendary", "chairman", "admitted that"];

test("what is pasted is underlined, by kind, each with a cue beside colour", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectMarked(page, WORDS);
    const looks = await page.locator("#editor mark").evaluateAll((marks) =>
      marks.map((mark) => [mark.className, getComputedStyle(mark).textDecorationStyle, getComputedStyle(mark).textDecorationColor]),
    );
    assert.deepEqual(looks.map(([kind]) => kind), ["kind-framing", "kind-demographic", "kind-epistemological"]);
    assert.equal(new Set(looks.map(([, style]) => style)).size, 3);
    assert.equal(new Set(looks.map(([, , colour]) => colour)).size, 3);
    await expectListed(page, WORDS);
    assert.equal(await page.textContent("#tally"), "3 findings");
    assert.equal(await page.locator("#findings li").count(), 3);
  }));

test("the card comes when the pointer rests on the words, and goes when it leaves", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await pointAt(page, "chairman");
    await card(page).waitFor({ state: "visible" });
    assert.equal(await page.textContent(".card .badge"), "demographic");
    assert.equal(await page.textContent(".card .about"), "about gender");
    assert.equal(await page.textContent(".card .quote"), "chairman");
    assert.match(await page.textContent(".card .sure"), /rule|slanted/i);
    assert.match(await page.textContent(".card .why"), /\w+ \w+/);
    assert.ok((await page.locator(".card .offers button").count()) >= 1);
    assert.equal(await page.evaluate(() => document.activeElement.id), "text", "resting the pointer takes no focus");
    const [over, mark] = [await card(page).boundingBox(), await page.locator("mark", { hasText: "chairman" }).boundingBox()];
    assert.ok(over.y >= mark.y + mark.height || over.y + over.height <= mark.y, "the card does not cover the words");
    await page.mouse.move(5, 400);
    await card(page).waitFor({ state: "hidden" });
  }));

test("a suggestion is applied, and taken back by the message and by the browser's own undo", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    const { x, y } = await pointAt(page, "admitted that");
    await page.mouse.click(x, y);
    await page.click(".card .offers button");
    await expectMarked(page, ["legendary", "chairman"]);
    assert.equal(await value(page), TEXT.replace("admitted that", "said that"));
    assert.match(await page.textContent("#decided summary"), /1 decision/);
    await page.click(".toast button");
    await expectMarked(page, WORDS);
    assert.equal(await value(page), TEXT);
    assert.equal(await page.locator("#decided").isVisible(), false);

    await page.click("#findings li:nth-child(2) button");
    await page.click(".card .offers button");
    await expectMarked(page, ["legendary", "admitted that"]);
    await page.focus("#text");
    await page.keyboard.press("Control+z");
    await expectMarked(page, WORDS);
    assert.equal(await page.locator("#decided").isVisible(), false, "undone by the browser, no decision stands");
    await page.keyboard.press("Control+Shift+z");
    await expectMarked(page, ["legendary", "admitted that"]);
    assert.equal(await page.locator("#decided").isVisible(), true);
  }));

test("words are kept with a reason, and can be taken up again", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectListed(page, WORDS);
    await page.click("#findings li:nth-child(1) button");
    await page.click(".card .keep");
    await page.click(".card [data-reason=supported]");
    await expectMarked(page, WORDS.slice(1));
    await expectListed(page, WORDS.slice(1));
    assert.equal(await value(page), TEXT);
    await page.click("#findings li:nth-child(1) button");
    await page.click(".card .keep");
    await page.fill(".card .note input", "It is her title <b>here</b>");
    await page.press(".card .note input", "Enter");
    await expectMarked(page, ["admitted that"]);
    await page.click("#decided summary");
    assert.match(await page.textContent("#decided li:nth-child(1)"), /It is her title <b>here<\/b>/);
    assert.match(await page.textContent("#decided li:nth-child(2)"), /legendary.*evidence/);
    await page.click("#decided li:nth-child(2) button");
    await expectMarked(page, ["legendary", "admitted that"]);
  }));

test("safe suggestions are applied in one step, and one undo takes them back", () =>
  onPage(async (page) => {
    await page.route("**/v1/check", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: (await answer.text()).replaceAll('"review"', '"safe"') });
    });
    await paste(page, TEXT);
    await expectMarked(page, WORDS);
    await page.click("#apply-safe");
    const applied = TEXT.replace("chairman", "chair").replace("admitted", "said");
    assert.equal(await value(page), applied);
    await expectMarked(page, ["legendary"]);
    assert.match(await page.textContent("#decided summary"), /2 decisions/);
    await page.keyboard.press("Control+z");
    await expectMarked(page, WORDS);
    assert.equal(await value(page), TEXT);
    await page.click("#apply-safe");
    assert.equal(await value(page), applied);
    await page.click(".toast button");
    assert.equal(await value(page), TEXT);
    assert.equal(await page.locator("#decided").isVisible(), false);
  }));

test("only what changes is asked about again", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    const asked = [];
    page.on("request", (request) => request.url().endsWith("/v1/check") && asked.push(...request.postDataJSON().items.map((item) => item.text)));
    await page.locator("#text").evaluate((area) => area.setSelectionRange(13, 13));
    await page.keyboard.type(" old");
    await expectMarked(page, WORDS);
    await page.waitForTimeout(700);
    await allRead(page);
    assert.ok(asked.length >= 1 && asked.every((text) => text.startsWith("The legendary")), JSON.stringify(asked));
    const count = asked.length;
    for (let times = 0; times < 4; times += 1) await page.keyboard.press("Backspace");
    await page.waitForTimeout(700);
    assert.equal(asked.length, count, "a text that was read before is remembered");
  }));

test("the keyboard alone does it all", () =>
  onPage(async (page) => {
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    await page.keyboard.press("Enter");
    await page.focus("#text");
    await page.keyboard.insertText(TEXT);
    await expectMarked(page, WORDS);
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("F8");
    await page.waitForSelector(".card:not([hidden])");
    assert.equal(await page.textContent(".card .quote"), "legendary");
    assert.equal(await page.evaluate(() => document.activeElement.id), "text");
    assert.match(await page.textContent("#announcer"), /legendary: framing/);
    await page.keyboard.press("F8");
    await page.keyboard.press("F8");
    assert.equal(await page.textContent(".card .quote"), "admitted that");
    await page.keyboard.press("Shift+F8");
    assert.equal(await page.textContent(".card .quote"), "chairman");
    await page.keyboard.press("Control+.");
    assert.equal(await page.evaluate(() => document.activeElement.closest(".offers") !== null), true);
    await page.keyboard.press("Enter");
    await expectMarked(page, ["legendary", "admitted that"]);
    assert.equal(await page.evaluate(() => document.activeElement.id), "text", "the keyboard is back in the text");
    await page.keyboard.press("Control+z");
    await expectMarked(page, WORDS);
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("F8");
    await page.keyboard.press("Control+.");
    assert.equal(await page.evaluate(() => document.activeElement.className), "quiet keep");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.reason), "not-slanted");
    await page.keyboard.press("Enter");
    await expectMarked(page, WORDS.slice(1));
    await page.keyboard.press("F8");
    await page.keyboard.press("Escape");
    assert.equal(await card(page).isVisible(), false);
  }));

test("the strip has a sentence a step and leads to the text", () =>
  onPage(async (page) => {
    await paste(page, `${TEXT}\n${"A plain line about the weather.\n\n".repeat(40)}`);
    await page.waitForFunction(() => document.getElementById("strip").getAttribute("aria-valuemax") === "42");
    await page.focus("#strip");
    await page.keyboard.press("Home");
    assert.match(await page.getAttribute("#strip", "aria-valuetext"), /^Sentence 1 of 42: 1 finding\. The legendary hall/);
    await page.keyboard.press("PageDown");
    assert.match(await page.getAttribute("#strip", "aria-valuetext"), /^Sentence 2 of 42: 2 findings/);
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "text");
    assert.ok((await page.locator("#editor").evaluate((frame) => frame.scrollTop)) > 500);
  }));

test("kinds can be switched off, and the draft outlives a reload", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await page.click(".chip.kind-framing");
    await expectMarked(page, WORDS.slice(1));
    await page.click(".chip.kind-framing");
    await expectMarked(page, WORDS);
    await page.waitForFunction(() => sessionStorage.getItem("unslant-draft")?.includes("legendary"));
    await page.reload();
    await expectMarked(page, WORDS);
    assert.equal(await value(page), TEXT);
  }));

test("a busy server is asked again, errors are shown, and the text stays", () =>
  onPage(
    async (page) => {
      await page.route("**/v1/check", (route) => route.fulfill({ status: 503, headers: { "Retry-After": "1" }, json: {} }), { times: 1 });
      await page.fill("#text", TEXT);
      await expectMarked(page, WORDS);
      const refusal = { error: { code: "text_too_long", message: "that is too much at once" } };
      await page.route("**/v1/check", (route) => route.fulfill({ status: 413, json: refusal }));
      await page.fill("#text", "Another legendary text.");
      await page.waitForFunction(() => document.getElementById("state").textContent === "that is too much at once");
      assert.equal(await value(page), "Another legendary text.");
    },
    { expects: /status of (503|413)/ },
  ));

test("a server with a token is asked with it, once the writer has given it", () =>
  onPage(
    async (page) => {
      await page.route("**/v1/check", (route) =>
        route.request().headers().authorization === "Bearer sesame" ? route.continue() : route.fulfill({ status: 401, json: {} }),
      );
      await page.fill("#text", TEXT);
      await page.fill("#token-value", "sesame");
      await page.keyboard.press("Enter");
      await expectMarked(page, WORDS);
      assert.equal(await page.evaluate(() => Object.keys(localStorage).length), 0, "the token is kept for this tab only");
    },
    { expects: /status of 401/ },
  ));
