// Makes the pictures of docs/first-look.md, the way of a new user: node first_look.mjs URL FOLDER

import { chromium } from "playwright-core";

const [, , address = "http://127.0.0.1:8765/", folder = "../../docs/images/first-look"] = process.argv;
const browser = await chromium.launch({ executablePath: process.env.UNSLANT_CHROMIUM ?? "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"] });

const TEXT = `The council met on Tuesday to discuss the new library.

Opponents slammed the plan, which they say costs too much. “It is a shameful waste,” said Ruth Bell, a shop owner.

The legendary architect of the town hall admitted that the roof needs work. Clearly, the vote was a stunning victory for the mayor. The firemen were not asked.
`;
const SIZES = {
  wide: { viewport: { width: 1360, height: 760 } },
  phone: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
};

const painted = (page) =>
  page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(resolve)), { timeout: 1_000 })));

/** Wait until the text is read and the list has followed; return what stands above the list. */
async function settled(page, former) {
  const told = await page.waitForFunction((before) => {
    const tally = document.getElementById("tally").textContent;
    return document.getElementById("state").textContent === "Checked" && /^\d+ findings?/.test(tally) && tally !== before && tally;
  }, former);
  return told.jsonValue();
}

async function film(size, colorScheme) {
  const context = await browser.newContext({ colorScheme, reducedMotion: "reduce", acceptDownloads: true, ...SIZES[size] });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  let number = 0;
  const picture = async (name) => {
    await painted(page);
    number += 1;
    await page.screenshot({ path: `${folder}/${number}-${name}-${size}-${colorScheme}.png` });
  };
  await page.goto(address);
  await picture("open");
  await page.focus("#text");
  await page.evaluate((words) => document.execCommand("insertText", false, words), TEXT);
  const before = await settled(page);
  await page.locator("#text").blur();
  await picture("paste");
  if (size === "phone") await page.tap("#panel-open");
  await page.locator("#findings li", { hasText: "slammed" }).locator("button").first().click();
  await page.waitForSelector(".card .rewording[aria-busy=false]");
  await picture("understand");
  await page.locator(".card button", { hasText: /^Use this (sentence|wording)/ }).first().click();
  await settled(page, before);
  await picture("fix");
  await page.waitForSelector(".toast", { state: "detached" });
  await page.keyboard.press("Escape");
  await page.click("#go-rewrite");
  await page.waitForSelector(".change");
  await picture("rewrite");
  await page.click("#go-write");
  await page.locator("#exports > summary").click();
  await picture("export");
  await context.close();
}

for (const size of Object.keys(SIZES)) for (const scheme of ["light", "dark"]) await film(size, scheme);
await browser.close();
