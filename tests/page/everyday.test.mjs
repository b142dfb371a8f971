// What people do every day: decide on the card, go through the changes, come back tomorrow, print, and open the next file.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LISTED, TEXT, WORDS, allRead, expectListed, expectMarked, expectText, onPage, openCard, paste, value } from "./harness.mjs";

const PHONE = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };
const MIXED = "Opponents lambasted the plan 🙂.\n\nA mob of rioters stormed the square. He admitted that the roof leaks.\n";
const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

for (const [size, options] of [["a wide screen", {}], ["a phone", PHONE]]) {
  test(`the card deletes words where the sentence stands without them, on ${size}`, () =>
    onPage(async (page) => {
      await paste(page, TEXT);
      await expectListed(page, LISTED);
      if (options.isMobile) await page.tap("#panel-open");
      await openCard(page, "admitted");
      assert.equal(await page.locator(".card .delete").count(), 0, "the sentence needs its verb");
      await page.keyboard.press("Escape");
      if (options.isMobile) await page.tap("#panel-open");
      await openCard(page, "legendary");
      const [button, screen] = [await page.locator(".card .delete").boundingBox(), page.viewportSize()];
      assert.ok(button.x >= 0 && button.x + button.width <= screen.width && button.y + button.height <= screen.height, "the button is on the screen");
      await page.click(".card .delete");
      assert.equal(await value(page), TEXT.replace(" legendary", ""));
      await expectMarked(page, ["firemen", "admitted that"]);
      await page.click(".toast button:has-text('Undo')");
      assert.equal(await value(page), TEXT);
      await expectMarked(page, WORDS);
    }, options));

  test(`in Rewrite, Next change leads through changes and findings without a wording, on ${size}`, () =>
    onPage(async (page) => {
      await paste(page, MIXED);
      await expectMarked(page, ["lambasted", "mob of rioters", "admitted that"]);
      await page.click("#go-rewrite");
      await expectText(page, "#rewrite-tally", /^2 changes: 0 accepted, 0 rejected, 2 to decide; 1 finding without a wording$/);
      assert.deepEqual(await page.locator(".unanswered").allTextContents(), ["mob of rioters"]);
      const focused = () => page.evaluate(() => document.activeElement.closest(".change, .unanswered")?.textContent);
      await page.click("#next-change");
      assert.match(await focused(), /lambasted/);
      await page.locator(".change >> nth=0").locator("[data-decide=accepted]").click();
      await page.click("#next-change");
      assert.match(await focused(), /mob of rioters/);
      await page.keyboard.press("Enter");
      await page.waitForSelector(".toast:has-text('“mob of rioters”: ')");
      await page.click("#next-change");
      assert.match(await focused(), /admitted/);
      await page.click("#next-change");
      assert.match(await focused(), /mob of rioters/, "after the last one it begins again with what is open");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= page.viewportSize().width, "nothing is wider than the screen");
      await page.click(".unanswered");
      await page.click(".toast button:has-text('Open in Write')");
      await page.waitForSelector(".card:not([hidden])");
      assert.equal(await page.textContent(".card .quote"), "mob of rioters");
    }, options));
}

test("the list names exactly the words that go", () =>
  onPage(async (page) => {
    await paste(page, "The plan failed miserably.\n\nHe admitted that the roof leaks.\n");
    await expectMarked(page, ["failed miserably", "admitted that"]);
    await expectListed(page, ["miserably → delete", "admitted → said"]);
    await openCard(page, "miserably");
    await page.click(".card .use-sentence");
    await page.waitForSelector(".toast:has-text('Deleted “miserably”')");
  }));

test("words are marked as a quotation in one click, and what is kept is not offered in Rewrite", () =>
  onPage(async (page) => {
    await paste(page, MIXED);
    await openCard(page, "lambasted");
    await page.click(".card .quotation");
    await expectMarked(page, ["mob of rioters", "admitted that"]);
    await page.waitForSelector(".toast:has-text('“lambasted” kept as a quotation.')");
    await page.click("#decided summary");
    assert.match(await page.textContent("#decided li"), /lambasted.*A quotation/);
    await page.click("#go-rewrite");
    await expectText(page, "#rewrite-tally", /^1 change: .*1 to decide; 1 finding without a wording$/);
    assert.deepEqual(await page.locator(".change del").allTextContents(), ["admitted"]);
    await page.click("#go-write");
    await page.click("#decided li button");
    await page.click("#go-rewrite");
    await expectText(page, "#rewrite-tally", /^2 changes/);
  }));

test("two revisions are pasted, read in their format, and judged by the settings", () =>
  onPage(
    async (page) => {
      const [before, after] = ["The '''hall''' opened in [[1911]].\n", "The '''hall''' opened in [[1911|legendary year]]. “Ask the firemen,” he said.\n"];
      await paste(page, before, "#before");
      assert.equal(await page.inputValue("#compare-format"), "wikitext");
      await paste(page, after, "#after");
      await expectText(page, "#balance", /^The change introduces 1 finding$/);
      await expectMarked(page, ["legendary"], "#after-editor");
      await page.click("#settings summary");
      await page.check("#quotations");
      await expectText(page, "#balance", /^The change introduces 2 findings$/);
      assert.equal(await page.getAttribute("#after", "spellcheck"), "true");
    },
    { hash: "#compare" },
  ));

/** Copy what another page shows, and paste it with the keyboard. */
async function copyAndPaste(page, html, selector) {
  const wiki = await page.context().newPage();
  await wiki.setContent(html);
  await wiki.keyboard.press("Control+a");
  await wiki.keyboard.press("Control+c");
  await wiki.close();
  await page.bringToFront();
  await page.focus(selector);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+v");
}

const SIDES = `<table class="diff diff-type-table"><tbody>
  <tr><td colspan="2" class="diff-lineno">Line 1:</td><td colspan="2" class="diff-lineno">Line 1:</td></tr>
  <tr><td class="diff-marker"></td><td class="diff-context diff-side-deleted"><div>The '''hall''' is old.</div></td><td class="diff-marker"></td><td class="diff-context diff-side-added"><div>The '''hall''' is old.</div></td></tr>
  <tr><td class="diff-marker" data-marker="−"></td><td class="diff-deletedline diff-side-deleted"><div>It <del class="diffchange diffchange-inline">was</del> opened in [[1911]].</div></td><td class="diff-marker" data-marker="+"></td><td class="diff-addedline diff-side-added"><div>It <ins class="diffchange diffchange-inline">then</ins> opened in [[1911]].</div></td></tr>
  <tr><td colspan="2" class="diff-lineno">Line 9:</td><td colspan="2" class="diff-lineno">Line 9:</td></tr>
  <tr><td colspan="2" class="diff-empty diff-side-deleted"></td><td class="diff-marker" data-marker="+"></td><td class="diff-addedline diff-side-added"><div>Critics slammed the {{legendary}} plan.</div></td></tr>
</tbody></table>`;
const INLINE = `<table class="diff diff-type-inline"><tbody><tr><td>
  <div class="mw-diff-inline-header">Line 1:</div>
  <div class="mw-diff-inline-context">It is &lt;b&gt;old&lt;/b&gt;.</div>
  <div class="mw-diff-inline-context">It is grey &amp; tall.</div>
  <div class="mw-diff-inline-changed">The <del>old</del><ins>legendary</ins> hall.</div>
  <div class="mw-diff-inline-deleted"><del>It rained.</del></div>
  <div class="mw-diff-inline-added"><ins>Critics slammed it.</ins></div></td></tr></tbody></table>`;

test("a diff copied from a wiki fills both versions", () =>
  onPage(
    async (page) => {
      await copyAndPaste(page, SIDES, "#after");
      await expectMarked(page, ["slammed"], "#after-editor");
      assert.equal(await value(page, "#before"), "The '''hall''' is old.\nIt was opened in [[1911]].\n\n");
      assert.equal(await value(page, "#after"), "The '''hall''' is old.\nIt then opened in [[1911]].\n\nCritics slammed the {{legendary}} plan.\n");
      assert.equal(await page.inputValue("#compare-format"), "wikitext");
      await copyAndPaste(page, INLINE, "#before");
      await expectMarked(page, ["legendary", "slammed"], "#after-editor");
      assert.equal(await value(page, "#before"), "It is <b>old</b>.\nIt is grey & tall.\nThe old hall.\nIt rained.\n");
      assert.equal(await value(page, "#after"), "It is <b>old</b>.\nIt is grey & tall.\nThe legendary hall.\nCritics slammed it.\n");
      await page.click(".toast button");
      assert.match(await value(page, "#before"), /^The '''hall'''/);
      await copyAndPaste(page, "<p>Only a paragraph.</p>", "#after");
      assert.equal((await value(page, "#after")).trim(), "Only a paragraph.");
    },
    { hash: "#compare", permissions: ["clipboard-read", "clipboard-write"] },
  ));

test("the text and its decisions are back after the tab was closed, in one tab only, until they are deleted", () =>
  onPage(async (page) => {
    const open = async () => {
      const other = await page.context().newPage();
      await other.goto(page.url());
      return other;
    };
    await paste(page, TEXT);
    await openCard(page, "firemen");
    await page.click(".card .keep");
    await page.waitForFunction(() => Object.keys(localStorage).some((name) => name.startsWith("unslant-kept-draft-") && localStorage[name].includes('"ignored"')));
    const beside = await open();
    await beside.waitForTimeout(500);
    assert.equal(await value(beside), "", "the tab of the text is still open");
    await beside.close();
    await page.locator("#text").press("Control+End");
    await page.keyboard.type("It rained.");
    await page.close({ runBeforeUnload: true });
    const again = await page.context().newPage();
    await again.goto(new URL("/", page.url()).href);
    await again.waitForSelector(".toast:has-text('Your text from last time is back.')");
    assert.equal(await value(again), `${TEXT}It rained.`);
    await expectMarked(again, ["legendary", "admitted that"]);
    await expectText(again, "#decided summary", /1 decision/);
    await again.click("#settings summary");
    assert.match(await again.textContent("#settings .note"), /keeps your text and your decisions, also when you close the tab/);
    await again.click("#forget");
    assert.equal(await value(again), "");
    assert.equal(await again.evaluate(() => Object.keys(localStorage).filter((name) => name.includes("draft")).length), 0);
    await again.close();
    const last = await page.context().newPage();
    await last.goto(new URL("/", page.url()).href);
    await last.waitForTimeout(500);
    assert.equal(await value(last), "");
  }));

test("a rule that is turned off stays off for the next file, and is turned on in the settings", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await openCard(page, "legendary");
    await page.click(".card .rule-off");
    await expectMarked(page, ["firemen", "admitted that"]);
    await page.setInputFiles("#file", file("next.txt", "The legendary singer lambasted it.\n"));
    await expectMarked(page, ["lambasted"]);
    await expectText(page, "#off-note", /^1 finding of rules that you turned off in Settings$/);
    await page.reload();
    await expectMarked(page, ["lambasted"]);
    await page.click("#settings summary");
    assert.match(await page.textContent("#rules-off li"), /^Praise adjective/);
    await page.click("#rules-off button");
    await expectMarked(page, ["legendary", "lambasted"]);
    await page.waitForSelector("#off-note", { state: "hidden" });
    await page.click("#previous");
    await expectMarked(page, WORDS.slice(1));
    await page.click("#decided summary");
    await page.click("#decided li button");
    await expectMarked(page, WORDS);
  }));

test("the counts are those of the list, whatever is hidden", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectListed(page, LISTED);
    const counts = () =>
      page.evaluate(() => ({
        tally: document.getElementById("tally").textContent,
        listed: document.querySelectorAll("#findings li").length,
        folded: document.querySelectorAll("#weaker-findings li").length,
        chips: [...document.querySelectorAll(".kinds [aria-pressed=true] .number")].reduce((sum, node) => sum + Number(node.textContent), 0),
      }));
    assert.deepEqual(await counts(), { tally: "2 findings, 1 weaker hint", listed: 2, folded: 1, chips: 3 });
    await page.locator("#level").fill("0");
    await expectText(page, "#tally", /^2 findings, 1 hidden$/);
    assert.deepEqual(await counts(), { tally: "2 findings, 1 hidden", listed: 2, folded: 0, chips: 2 });
    await page.click(".chip.kind-framing");
    await expectText(page, "#tally", /^1 finding, 2 hidden$/);
    assert.deepEqual(await counts(), { tally: "1 finding, 2 hidden", listed: 1, folded: 0, chips: 1 });
  }));

test("exports and prints are named after the document", () =>
  onPage(async (page) => {
    const named = async (what) => {
      await page.click("#exports summary");
      const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-export=${what}]`)]);
      return download.suggestedFilename();
    };
    await page.setInputFiles("#file", file("plan.md", "# Plan\n\nThe legendary hall.\n"));
    await openCard(page, "legendary");
    await page.click(".card .keep");
    assert.deepEqual(
      [await named("text"), await named("page"), await named("wire"), await named("judgements")],
      ["plan.md", "plan-report.html", "plan-report.json", "plan-decisions.jsonl"],
    );
    assert.equal(await page.title(), "plan.md – unslant");
    await page.click("#settings summary");
    await page.click("#forget");
    assert.equal(await page.title(), "unslant");
  }));

test("on paper, every finding has its reason, also weaker hints; the browser's spell checker is on", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectListed(page, LISTED);
    assert.equal(await page.locator("#findings .because").first().isVisible(), false);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    const reasons = await page.locator(".write .findings .because").evaluateAll((nodes) => nodes.map((node) => node.checkVisibility() && node.textContent.length > 20));
    assert.deepEqual(reasons, [true, true, true]);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    assert.equal(await page.locator("#weaker").evaluate((box) => box.open), false);
    assert.equal(await page.locator("#text").evaluate((area) => area.spellcheck), true);
  }));

test("what the model finds without a rule has its technique as heading", () =>
  onPage(async (page) => {
    await paste(page, "He is a true hero who gave everything for his people.\n");
    await openCard(page, "true hero who gave everything for his people");
    const title = await page.evaluate(async () => {
      const { techniques } = await (await fetch("v1/rules")).json();
      return techniques.find(({ id }) => id === "model/praise").title;
    });
    assert.equal(await page.textContent(".card .rule-title"), title);
  }));

test("the profile and quotations are settings that hold for the next text", () =>
  onPage(async (page) => {
    const text = "“Ask the firemen,” the legendary singer said.\n";
    await paste(page, text);
    await expectMarked(page, ["legendary"]);
    await page.click("#settings summary");
    await page.check("#quotations");
    await expectMarked(page, ["firemen", "legendary"]);
    await page.selectOption("#profile", "opinion");
    await page.reload();
    await allRead(page);
    await page.click("#settings summary");
    assert.equal(await page.inputValue("#profile"), "opinion");
    assert.equal(await page.isChecked("#quotations"), true);
  }));
