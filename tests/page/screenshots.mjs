// Makes the pictures of docs/page.md: node screenshots.mjs URL FOLDER

import { chromium } from "playwright-core";

const [, , address = "http://127.0.0.1:8765/", folder = "../../docs/images"] = process.argv;
const browser = await chromium.launch({ executablePath: process.env.UNSLANT_CHROMIUM ?? "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"] });

const WIDE = { viewport: { width: 1200, height: 760 } };
const PHONE = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 1.5, hasTouch: true, isMobile: true };

async function picture(name, options, story) {
  const context = await browser.newContext({ colorScheme: "light", reducedMotion: "reduce", ...WIDE, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(address);
  await page.click("#sample");
  await page.waitForFunction(() => document.getElementById("state").textContent === "Checked" && document.querySelectorAll("#findings li").length > 0);
  await story(page);
  // The strip is painted after everything else.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(resolve)), { timeout: 1_000 })));
  await page.screenshot({ path: `${folder}/page-${name}.png` });
  await context.close();
}

const open = async (page, words) => {
  await page.locator("#findings li", { hasText: words }).locator("button").click();
  await page.waitForSelector(".card .rewording[aria-busy=false]");
};

await picture("light", {}, (page) => page.locator("#text").blur());
await picture("card", {}, (page) => open(page, "peddle"));
await picture("dark", { colorScheme: "dark" }, (page) => open(page, "shamelessly"));
await picture("rewrite", {}, async (page) => {
  await page.click("#go-rewrite");
  await page.waitForSelector(".change");
  await page.click("#accept-safe");
  await page.locator(".change >> nth=0").locator("[data-decide=rejected]").click();
  await page.locator("#go-rewrite").focus();
});
await picture("compare", {}, async (page) => {
  await page.click("#go-compare");
  await page.fill("#before", "The hall on the quay opened in 1911. Ask the elderly, who said that the roof leaks. Obviously, the traders will need another place.\n\nThe council approved a plan in spring.\n");
  await page.fill("#after", "The hall on the quay opened in 1911. Ask older people, who admitted that the roof leaks. The traders will need another place.\n\nThe council approved a legendary plan in spring.\n");
  await page.waitForSelector("#outcome h3");
  await page.locator("#go-compare").focus();
});
await picture("phone", PHONE, async (page) => {
  await page.tap("#panel-open");
  await page.locator("#findings li", { hasText: "Obviously" }).locator("button").tap();
  await page.waitForSelector(".card .rewording[aria-busy=false]");
});
await picture("print", { viewport: { width: 700, height: 900 } }, (page) => page.emulateMedia({ media: "print" }));
await picture("forced-colours", { forcedColors: "active", colorScheme: "dark", viewport: { width: 1000, height: 700 } }, (page) => page.locator("#text").blur());
await browser.close();
