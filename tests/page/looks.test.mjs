// Light and dark, phone and desk, and what axe-core has to say about each.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { card, expectMarked, onPage, paste } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TEXT = "The legendary hall opened in 1911.\n\nIts chairman admitted that the roof leaks.\n";
const WORDS = ["legendary", "chairman", "admitted that"];
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
        await page.click("#findings li:nth-child(2) button");
        await page.click(".card .keep");
        await accessible(page, "card");
        await page.click(".card [data-reason=term]");
        await page.click("#decided summary");
        await page.click(".chip.kind-framing");
        await page.click("#exports summary");
        await accessible(page, "decisions, menu and message");
        const [sheet, field] = [await page.locator(".sheet").boundingBox(), await page.locator("#annotator").boundingBox()];
        assert.ok(field.x + field.width < sheet.x + sheet.width, "nothing sticks out of the menu");
        await page.keyboard.press("Escape");
        await page.click("#go-compare");
        await page.waitForSelector("#outcome, #sums");
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
    await page.tap("#findings li:nth-child(2) button");
    await card(page).waitFor({ state: "visible" });
    await accessible(page, "phone, card");
    const box = await card(page).boundingBox();
    assert.deepEqual([Math.round(box.x), Math.round(box.width), Math.round(box.y + box.height)], [0, 390, 800]);
    const mark = await page.locator("mark", { hasText: "chairman" }).boundingBox();
    assert.ok(mark.y + mark.height <= box.y, "the words can be seen above the card");
    await page.tap(".card .offers button");
    await expectMarked(page, ["legendary", "admitted that"]);
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
