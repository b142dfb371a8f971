// Marks stand where the words stand, whatever the script; and text never becomes markup.

import assert from "node:assert/strict";
import { test } from "node:test";
import { URL_, expectMarked, marked, onPage, openCard, paste, value } from "./harness.mjs";

const MIXED = [
  "👩‍🚀 The legendary hall opened in 1911. 🇨🇭 Ask the firemen 🙂 about it.",
  "قال المدير: the legendary hall is open today, and the policemen have left.",
  "שלום, the legendary market was opened again in the spring.",
  "e\u0301te\u0301 𝒞𝓁𝒶𝓈𝓈 the\tlegendary\ttab and a verylongwordwithoutanyspaceinit".repeat(1) + "x".repeat(120),
].join("\n\n");

test("emoji and right-to-left text keep every mark on its words", () =>
  onPage(async (page) => {
    await paste(page, MIXED);
    await expectMarked(page, ["legendary", "firemen", "legendary", "policemen", "legendary", "legendary"]);
    const report = await page.evaluate(async (text) => {
      const answer = await fetch("v1/check", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text }) });
      return answer.json();
    }, MIXED);
    assert.deepEqual(await marked(page), report.findings.map((finding) => finding.text));
    await openCard(page, "firemen");
    await page.click(".card .use-sentence");
    const changed = await value(page);
    assert.match(changed, /Ask the firefighters 🙂 about it/);
    await expectMarked(page, ["legendary", "legendary", "policemen", "legendary", "legendary"]);
    await openCard(page, "policemen");
    await page.click(".card .use-word");
    assert.equal(await value(page), changed.replace("policemen", "police officers"));
  }));

/** How many pixels differ between two pictures. */
async function apart(page, one, two) {
  const blank = await page.context().newPage();
  try {
    return await blank.evaluate(
      async (pictures) => {
        const [first, second] = await Promise.all(
          pictures.map(async (data) => {
            const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
            const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
            canvas.getContext("2d").drawImage(bitmap, 0, 0);
            return canvas.getContext("2d").getImageData(0, 0, bitmap.width, bitmap.height).data;
          }),
        );
        let count = 0;
        let ink = 0;
        for (let index = 0; index < first.length; index += 4) {
          if (Math.abs(first[index] - second[index]) > 60) count += 1;
          if (first[index] < 128) ink += 1;
        }
        return { count, ink };
      },
      [one.toString("base64"), two.toString("base64")],
    );
  } finally {
    await blank.close();
  }
}

for (const width of [1280, 390]) {
  test(`the layer of marks is laid out exactly as the text, ${width} wide`, () =>
    onPage(
      async (page) => {
        const text = `${MIXED}\n\nA hard-wrapped\nparagraph with  double  spaces, trailing   \nand a “quotation” of some length that runs on.\n\n\n${"A longer line to be broken somewhere by the browser. ".repeat(12)}`;
        await paste(page, text);
        await page.locator("#text").blur();
        await page.evaluate(() => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`.see-text .mirror { visibility: hidden } .see-mirror textarea { color: transparent !important }
            .see-mirror .mirror, .see-mirror mark { color: var(--ink) !important; background: none !important; text-decoration: none !important }
            .toasts, .welcome, #panel-open { display: none !important }`);
          document.adoptedStyleSheets = [sheet];
        });
        const see = async (what) => {
          await page.evaluate((name) => (document.body.className = name), what);
          return page.locator("#editor").screenshot({ animations: "disabled", caret: "hide" });
        };
        const { count, ink } = await apart(page, await see("see-text"), await see("see-mirror"));
        assert.ok(ink > 2_000, `there is text to see (${ink})`);
        assert.ok(count < ink / 100, `${count} pixels of ${ink} differ`);
      },
      { viewport: { width, height: 1000 } },
    ));
}

test("tags in the text stay text, everywhere it is shown", () =>
  onPage(async (page) => {
    const nasty = 'The legendary hall <b>spoke</b> in 1911. Ask the firemen about it. The policemen left.\n\n<script>window.hit = 1</script> <img src=x onerror="window.hit = 2">\n';
    await paste(page, nasty);
    await expectMarked(page, ["legendary", "firemen", "policemen"]);
    await openCard(page, "firemen");
    await page.click(".card .use-sentence");
    await page.click("#go-rewrite");
    await page.waitForSelector(".change");
    await page.click("#go-write");
    await page.focus("#strip");
    await page.keyboard.press("Home");
    await page.click("#exports summary");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("[data-export=page]")]);
    const stream = await saved.createReadStream();
    let report = "";
    for await (const part of stream) report += part;
    assert.match(report, /&lt;script&gt;window\.hit/);
    assert.doesNotMatch(report, /<script|<img/);
    await page.goto(`${URL_}#compare`);
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(await page.locator("main img, main script, main b:text-is('spoke')").count(), 0);
  }));

test("the page finds what checking the whole text at once finds", () =>
  onPage(async (page) => {
    const text = [
      "He wrote: “The legendary hall was mine.",
      "“Obviously it burned,” he added, and the fireman nodded.",
      "A hard-wrapped line of a report in which the\nfireman admitted that Dr.\nSmith was late.",
      "Mr. Gray met the legendary fireman at noon in the old market by the river. ".repeat(90),
      "1. The legendary first item\n2. The fireman's second item",
      '"Everyone knows it", she said.',
      "",
    ].join("\n\n");
    await paste(page, text);
    const whole = await page.evaluate(async (words) => {
      const answer = await fetch("v1/check", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text: words }) });
      return (await answer.json()).findings.map((finding) => finding.text);
    }, text);
    assert.ok(whole.length > 60);
    await expectMarked(page, whole);
  }));
