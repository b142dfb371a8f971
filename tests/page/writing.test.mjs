// Writing with the pointer and with the keyboard alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LISTED, TEXT, WORDS, allRead, card, expectListed, expectMarked, expectText, onPage, openCard, paste, pointAt, value } from "./harness.mjs";

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
    await expectListed(page, LISTED);
    assert.equal(await page.textContent("#tally"), "2 findings, 1 weaker hint");
  }));

test("the card comes when the pointer rests on the words, beside the text, and goes when it leaves", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectMarked(page, WORDS);
    await pointAt(page, "firemen");
    await card(page).waitFor({ state: "visible" });
    assert.equal(await page.textContent(".card .badge"), "People and groups");
    assert.match(await page.getAttribute(".card .badge", "title"), /demographic bias/);
    assert.equal(await page.textContent(".card .about-group"), "about gender");
    assert.equal(await page.textContent(".card .quote"), "firemen");
    assert.match(await page.textContent(".card .why"), /\w+ \w+/);
    assert.equal(await page.evaluate(() => document.activeElement.id), "text", "resting the pointer takes no focus");
    const [over, paper] = [await card(page).boundingBox(), await page.locator("#write .paper").boundingBox()];
    assert.ok(over.x >= paper.x + paper.width, "the card does not cover the text");
    await page.mouse.move(5, 400);
    await card(page).waitFor({ state: "hidden" });
  }));

test("a wording is used, and taken back by the message and by the browser's own undo, which agree", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectMarked(page, WORDS);
    const { x, y } = await pointAt(page, "admitted that");
    await page.mouse.click(x, y);
    await page.click(".card .use-word");
    await expectMarked(page, ["legendary", "firemen"]);
    assert.equal(await value(page), TEXT.replace("admitted", "said"));
    assert.match(await page.textContent("#decided summary"), /1 decision/);
    await page.click(".toast button:has-text('Undo')");
    await expectMarked(page, WORDS);
    assert.equal(await value(page), TEXT);
    assert.equal(await page.locator("#decided").isVisible(), false);

    await openCard(page, "legendary");
    await page.click(".card .use-sentence");
    await expectMarked(page, ["firemen", "admitted that"]);
    await page.focus("#text");
    await page.keyboard.press("Control+z");
    await expectMarked(page, WORDS);
    assert.equal(await page.locator("#decided").isVisible(), false, "undone by the browser, no decision stands");
    await page.waitForSelector(".toast", { state: "detached" });
    await page.keyboard.press("Control+Shift+z");
    await expectMarked(page, ["firemen", "admitted that"]);
    assert.equal(await page.locator("#decided").isVisible(), true);
  }));

test("one click keeps words; why can be said afterwards, and taken up again", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectListed(page, LISTED);
    await openCard(page, "legendary");
    await page.click(".card .keep");
    await expectMarked(page, WORDS.slice(1));
    await page.click(".toast button:has-text('Say why')");
    await page.click(".toast [data-reason=supported]");
    await openCard(page, "firemen");
    await page.click(".card .keep");
    await page.click(".toast button:has-text('Say why')");
    await page.fill(".toast .note input", "They call themselves <b>so</b>");
    await page.press(".toast .note input", "Enter");
    await expectMarked(page, ["admitted that"]);
    await page.click("#decided summary");
    assert.match(await page.textContent("#decided li:nth-child(1)"), /They call themselves <b>so<\/b>/);
    assert.match(await page.textContent("#decided li:nth-child(2)"), /legendary.*evidence/);
    await page.click("#decided li:nth-child(2) button");
    await expectMarked(page, ["legendary", "admitted that"]);
    assert.equal(await value(page), TEXT);
  }));

test("words are kept everywhere, a rule is turned off, and decisions outlive a reload", () =>
  onPage(async (page) => {
    const text = "Ask the firemen, who met on Tuesday.\n\nThe firemen met again, and the legendary hall was full.\n\nThe legendary singer sang.\n";
    await paste(page, text);
    await expectMarked(page, ["firemen", "firemen", "legendary", "legendary"]);
    await openCard(page, "firemen");
    await page.click(".card .keep-everywhere");
    await expectMarked(page, ["legendary", "legendary"]);
    await openCard(page, "legendary");
    await page.click(".card .rule-off");
    await expectMarked(page, []);
    await page.waitForFunction(() => JSON.parse(sessionStorage.getItem("unslant-draft"))?.decisions.all.length === 2);
    await page.reload();
    await allRead(page);
    await expectText(page, "#decided summary", /2 decisions/);
    await expectMarked(page, []);
    await page.click("#decided summary");
    await page.click("#decided li:nth-child(1) button");
    await expectMarked(page, ["legendary", "legendary"]);
  }));

test("only what changes is asked about again", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectMarked(page, WORDS);
    const asked = [];
    page.on("request", (request) => request.url().endsWith("/v1/check") && asked.push(...request.postDataJSON().items.map((item) => item.text)));
    await page.locator("#text").evaluate((area) => area.setSelectionRange(13, 13));
    const answered = page.waitForResponse((answer) => answer.url().endsWith("/v1/check"));
    await page.keyboard.type(" old");
    await answered;
    await allRead(page);
    assert.ok(asked.length >= 1 && asked.every((text) => text.startsWith("The legendary")), JSON.stringify(asked));
    const count = asked.length;
    for (let times = 0; times < 4; times += 1) await page.keyboard.press("Backspace");
    await expectMarked(page, WORDS);
    await allRead(page);
    const whole = asked.slice(count).filter((text) => text === TEXT.slice(0, 36));
    assert.deepEqual(whole, [], "a text that was read before is remembered");
  }));

test("the keyboard alone does it all", () =>
  onPage(async (page) => {
    const focused = (question) => page.waitForFunction(question);
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
    assert.match(await page.textContent("#announcer"), /legendary: Loaded words/);
    await page.keyboard.press("F8");
    await page.keyboard.press("F8");
    assert.equal(await page.textContent(".card .quote"), "admitted that");
    await page.keyboard.press("Shift+F8");
    assert.equal(await page.textContent(".card .quote"), "firemen");
    await page.keyboard.press("Control+.");
    await focused(() => document.activeElement.className.includes("use-sentence"));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expectMarked(page, ["legendary", "admitted that"]);
    assert.equal(await page.evaluate(() => document.activeElement.id), "text", "the keyboard is back in the text");
    await page.keyboard.press("Control+z");
    await expectMarked(page, WORDS);
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("F8");
    await page.keyboard.press("Control+.");
    await focused(() => document.activeElement.className.includes("use-sentence"));
    while (!(await page.evaluate(() => document.activeElement.className.includes("keep")))) await page.keyboard.press("Tab");
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

test("a word is judged by what the whole text says of it, wherever that stands", () =>
  onPage(async (page) => {
    await paste(page, "Lefties often buy scissors made for the other hand.\n\nThe shop opened in 1911.\n");
    await expectMarked(page, ["Lefties"]);
    await page.focus("#text");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\nAbout one person in ten is left-handed.");
    await expectMarked(page, []);
    await page.click("#go-rewrite");
    await page.waitForSelector("#rewrite:not([hidden])");
    await page.click("#go-write");
    await page.focus("#text");
    for (let times = 0; times < 12; times += 1) await page.keyboard.press("Backspace");
    await expectMarked(page, ["Lefties"]);
  }));
