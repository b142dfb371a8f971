// Light and dark, phone and desk, and what axe-core has to say about each.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { LISTED, TEXT, WORDS, card, expectListed, expectMarked, expectText, onPage, openCard, paste } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

async function accessible(page, where) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const said = violations.map((one) => `${where}: ${one.id} (${one.nodes.map((node) => node.target.join(" ")).join(", ")})`);
  assert.deepEqual(said, []);
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing to mend: ${colorScheme}`, () =>
    onPage(
      async (page) => {
        await accessible(page, "empty");
        await paste(page, TEXT);
        await expectMarked(page, WORDS);
        await accessible(page, "findings");
        await openCard(page, "firemen");
        await page.click(".more-about summary");
        await page.click(".weights button");
        await page.waitForSelector(".weights .sentence");
        await accessible(page, "card");
        await page.click(".card .keep");
        await page.click(".toast button:has-text('Say why')");
        await accessible(page, "reasons");
        await page.click(".toast [data-reason=term]");
        await page.click("#decided summary");
        await page.click(".chip.kind-framing");
        await page.click("#exports summary");
        await accessible(page, "decisions, menu and message");
        const [sheet, field] = [await page.locator("#exports .sheet").boundingBox(), await page.locator("#annotator").boundingBox()];
        assert.ok(field.x + field.width < sheet.x + sheet.width, "nothing sticks out of the menu");
        await page.keyboard.press("Escape");
        await page.click("#go-rewrite");
        await page.waitForSelector(".change");
        await accessible(page, "rewrite");
        await page.click(".change [data-decide=accepted]");
        await accessible(page, "rewrite, accepted");
        await page.click("#go-compare");
        await accessible(page, "compare, the same text");
        await page.fill("#before", "The hall opened in 1911. Obviously it leaks.");
        await page.waitForSelector("#outcome h3");
        await accessible(page, "compare");
      },
      { colorScheme },
    ));
}

test("axe-core finds nothing to mend on a phone, where list and card come over the text", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await accessible(page, "phone");
    assert.equal(await page.locator("#findings").isVisible(), false);
    await page.tap("#panel-open");
    await page.waitForSelector("#findings li button", { state: "visible" });
    await accessible(page, "phone, list");
    await page.tap("#weaker-count");
    await page.locator(".findings li", { hasText: "firemen" }).locator("button").tap();
    await card(page).waitFor({ state: "visible" });
    await page.waitForSelector(".card .rewording[aria-busy=false]");
    await accessible(page, "phone, card");
    const box = await card(page).boundingBox();
    assert.deepEqual([Math.round(box.x), Math.round(box.width), Math.round(box.y + box.height)], [0, 390, 800]);
    const mark = await page.locator("mark", { hasText: "firemen" }).boundingBox();
    assert.ok(mark.y + mark.height <= box.y, "the words can be seen above the card");
    await page.tap(".card .use-word");
    await expectMarked(page, ["legendary", "admitted that"]);
    await page.tap("#exports summary");
    assert.equal(await page.locator("#exports .sheet button:not([hidden]) span").first().isVisible(), true);
    const described = await page.locator("#exports .sheet button:not([hidden])").evaluateAll((buttons) => buttons.every((one) => one.querySelector("span").getBoundingClientRect().width > 40));
    assert.ok(described, "the menu describes what is exported");
    await page.keyboard.press("Escape");
    await page.click("#go-rewrite");
    await page.waitForSelector(".change");
    await accessible(page, "phone, rewrite");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, "nothing sticks out sideways");
  }, PHONE));

test("dark follows the system, can be chosen, and is remembered", () =>
  onPage(
    async (page) => {
      const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await paper();
      await page.emulateMedia({ colorScheme: "dark" });
      const dark = await paper();
      assert.notEqual(light, dark);
      await page.click("#theme");
      assert.match(await page.getAttribute("#theme", "aria-label"), /^Theme: light/);
      assert.equal(await paper(), light);
      await page.click("#theme");
      await page.emulateMedia({ colorScheme: "light" });
      assert.equal(await paper(), dark);
      await page.reload();
      assert.equal(await paper(), dark);
      await page.click("#theme");
      assert.equal(await paper(), light);
    },
    { colorScheme: "light" },
  ));

/** How many pixels differ between two pictures of the text, with and without the marks. */
async function inkOfMarks(page) {
  const shot = () => page.locator("#editor").screenshot({ animations: "disabled", caret: "hide" });
  const shown = await shot();
  await page.evaluate(() => document.querySelectorAll("#editor mark").forEach((mark) => mark.style.setProperty("text-decoration", "none")));
  return Buffer.compare(shown, await shot());
}

test("forced colours keep the marks, and the text once", () =>
  onPage(
    async (page) => {
      await paste(page, TEXT);
      await expectMarked(page, WORDS);
      const looks = await page.evaluate(() => ({
        area: getComputedStyle(document.getElementById("text")).backgroundColor,
        mirror: getComputedStyle(document.querySelector("#editor .mirror")).color,
        mark: getComputedStyle(document.querySelector("#editor mark")).textDecorationLine,
      }));
      assert.deepEqual(looks, { area: "rgba(0, 0, 0, 0)", mirror: "rgba(0, 0, 0, 0)", mark: "underline" });
      assert.notEqual(await inkOfMarks(page), 0, "the underlines can be seen");
    },
    { forcedColors: "active" },
  ));

test("on paper, the words themselves carry the marks, and the findings follow", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectListed(page, LISTED);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("#text").isVisible(), false);
    const mark = page.locator("#editor mark", { hasText: "legendary" });
    await page.waitForFunction(() => getComputedStyle(document.querySelector("#editor mark")).color !== "rgba(0, 0, 0, 0)");
    const look = await mark.evaluate((node) => [getComputedStyle(node).color, getComputedStyle(node).textDecorationLine]);
    assert.notEqual(look[0], "rgba(0, 0, 0, 0)");
    assert.equal(look[1], "underline");
    assert.equal(await page.locator(".bar").isVisible(), false);
    assert.equal(await page.locator("#findings li").first().isVisible(), true);
    const [text, list] = [await page.locator("#editor .mirror").boundingBox(), await page.locator("#panel").boundingBox()];
    assert.ok(text.y + text.height <= list.y, "the list does not cover the text");
  }));

test("on a narrower screen the card covers neither its words nor the marks around them", () =>
  onPage(
    async (page) => {
      await paste(page, TEXT);
      await openCard(page, "admitted");
      const [over, mark] = [await card(page).boundingBox(), await page.locator("mark", { hasText: "admitted that" }).boundingBox()];
      assert.ok(over.y >= mark.y + mark.height || over.y + over.height <= mark.y);
      await expectText(page, ".card .sentence", /firemen/);
    },
    { viewport: { width: 1000, height: 800 } },
  ));
