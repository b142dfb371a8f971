// What the page says of a text: the summary, the reasons, the format, the language, and where the text goes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { allRead, expectListed, expectMarked, expectText, onPage, openCard, paste } from "./harness.mjs";

const TEXT = "The legendary hall opened in 1911. The library opens at nine. Opponents lambasted the plan.\n";

test("it sums up: sentences by verdict, one bar, plain names with the terms in tooltips", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectText(page, "#summary-words", /^2 of 3 sentences likely slanted, 0 hard to tell, 1 clear$/);
    const shares = await page.locator("#summary-bar .part:not([hidden])").evaluateAll((parts) => parts.map((one) => [one.className, one.style.flexGrow]));
    assert.deepEqual(shares, [["part slanted", "2"], ["part clear", "1"]]);
    assert.deepEqual(await page.locator(".chip .name").allTextContents(), ["Loaded words", "Certainty and doubt", "People and groups"]);
    assert.match(await page.getAttribute(".chip.kind-framing", "title"), /^framing bias/);
  }));

test("findings are sorted by certainty or in order, and there can be fewer or more of them", () =>
  onPage(async (page) => {
    await paste(page, "The legendary hall opened in 1911. Opponents slammed the plan. Clearly, the vote was a stunning victory. Many believe the toll is unfair. Studies prove that the paint is safe. Experts agree that the toll helps. Critics fear that the massive road will harm the town.\n");
    await page.waitForSelector("#findings li");
    const certainty = () => page.locator("#findings li").evaluateAll((items) => items.map((item) => item.finding.probability));
    await page.selectOption("#order", "certainty");
    await page.waitForFunction(() => {
      const shares = [...document.querySelectorAll("#findings li")].map((item) => item.finding.probability);
      return shares.every((one, at) => at === 0 || one <= shares[at - 1]);
    });
    const usual = await page.locator("#editor mark").count();
    assert.ok((await certainty()).length >= 3);
    await page.locator("#level").fill("0");
    await page.waitForFunction((before) => document.querySelectorAll("#editor mark").length < before, usual);
    assert.deepEqual(await page.locator("#editor mark").evaluateAll((marks) => [...new Set(marks.map((one) => one.dataset.severity))]), ["warning"]);
    await page.locator("#level").fill("2");
    await page.waitForFunction((before) => document.querySelectorAll("#editor mark").length > before, usual);
    await page.locator("#level").fill("1");
    await page.waitForFunction((before) => document.querySelectorAll("#editor mark").length === before, usual);
    await expectText(page, "#weaker-count", /weaker hints?$/);
    assert.equal(await page.locator("#weaker").evaluate((box) => box.open), false, "weaker hints are folded");
  }));

test("it explains: the rule, what the probability means, the guidance, examples, and the words the model goes by", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await openCard(page, "legendary");
    assert.equal(await page.textContent(".card .rule-title"), "Praise adjective");
    assert.match(await page.textContent(".card .sure"), /^Very likely slanted: editors would change about \d\d of 100 such passages\.$/);
    assert.equal((await page.textContent(".card")).match(/\d+ of 100|\d+ ?%/g).length, 1, "the probability is said once");
    await page.click(".more-about summary");
    await expectText(page, ".guidance", /Guidance: Wikipedia Manual of Style.*Slanted.*Not slanted.*framing\/praise-adjective/);
    await page.click(".weights button");
    await page.waitForSelector(".weights .sentence");
    assert.equal(await page.textContent(".weights .sentence"), "The legendary hall opened in 1911.");
    assert.ok((await page.locator(".weights .weight").allTextContents()).includes("legendary"));
  }));

test("the format is sent: by paste and by choice; code and quotations are greyed", () =>
  onPage(async (page) => {
    const markdown = "# The legendary hall\n\nCritics said “a brilliant plan” and ran `amazing()`.\n\n```\nlegendary = obviously\n\nThe minister slammed it.\n```\n\nThe legendary hall is old.\n";
    await paste(page, markdown);
    await page.waitForFunction(() => document.getElementById("format").value === "markdown");
    await allRead(page);
    await page.waitForFunction(() => document.querySelectorAll("#editor .skipped").length >= 3);
    const skipped = await page.locator("#editor .skipped").allTextContents();
    assert.ok(skipped.includes("“a brilliant plan”") && skipped.includes("`amazing()`"), JSON.stringify(skipped));
    assert.match(skipped.join("|"), /legendary = obviously[^]*The minister slammed it/);
    const inCode = await page.locator("#editor mark").allTextContents();
    assert.ok(inCode.every((words) => !/obviously|amazing|brilliant|slammed/.test(words)), JSON.stringify(inCode));
    const asked = page.waitForRequest((request) => request.url().endsWith("/v1/check") && request.postDataJSON().items[0].format === "text");
    await page.selectOption("#format", "text");
    await asked;
    await page.waitForFunction(() => [...document.querySelectorAll("#editor mark")].some((one) => one.textContent === "slammed"));
  }));

test("another language is named, and never passes for a clean text", () =>
  onPage(async (page) => {
    await page.fill("#text", "Das ist ein sehr schöner Satz, und der ist nicht auf Englisch, sondern auf Deutsch geschrieben. Wir sind nicht sicher, ob das auch so bleibt.");
    await expectText(page, "#state", /^This looks like German; unslant reads English$/);
    await expectText(page, "#tally", /^Not checked: German$/);
    assert.match(await page.textContent("#calm"), /This looks like German/);
    assert.equal(await page.locator(".calm .well").count(), 0);
    await page.fill("#text", "The library opens at nine and closes at six on weekdays.");
    await allRead(page);
    await expectText(page, "#calm", /^Nothing found\./);
    await expectText(page, "#tally", /^Nothing found$/);
  }));

test("it says where the text goes, and only what is so", () =>
  onPage(async (page) => {
    await expectText(page, "#where", /^Stays on this computer$/);
    const said = await page.evaluate(async () => {
      const { destination } = await import("/page/status.js");
      return [destination("localhost", "localhost:8765"), destination("[::1]", "[::1]:8765"), destination("unslant.example.org", "unslant.example.org"), destination("127.0.0.1", "127.0.0.1", ["https://llm.example.org"])];
    });
    assert.deepEqual(said, ["Stays on this computer", "Stays on this computer", "Goes to unslant.example.org", "Goes to https://llm.example.org"]);
  }));

test("findings and lists agree with what is marked", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectMarked(page, ["legendary", "lambasted"]);
    await expectListed(page, ["legendary", "lambasted"]);
  }));
