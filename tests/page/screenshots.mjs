// Makes the pictures of docs/page.md: node screenshots.mjs URL FOLDER

import { chromium } from "playwright-core";

const [, , address = "http://127.0.0.1:8765/", folder = "../../docs/images"] = process.argv;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"] });

async function picture(name, options, story) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, ...options });
  const page = await context.newPage();
  await page.goto(address);
  await page.click("#sample");
  await page.waitForFunction(() => document.getElementById("state").textContent === "Checked" && document.querySelectorAll("#findings li").length > 8);
  await story(page);
  await page.waitForTimeout(600);
  await page.screenshot({ path: `${folder}/page-${name}.png` });
  await context.close();
}

const open = async (page, words) => {
  await page.locator("#findings li", { hasText: words }).locator("button").click();
  await page.waitForSelector(".card:not([hidden])");
};

await picture("light", { colorScheme: "light" }, (page) => page.locator("#text").blur());
await picture("card", { colorScheme: "light" }, (page) => open(page, "peddle"));
await picture("dark", { colorScheme: "dark" }, async (page) => {
  await open(page, "chairman");
  await page.click(".card .keep");
});
await picture("compare", { colorScheme: "light" }, async (page) => {
  await page.click("#go-compare");
  await page.fill("#before", "The hall on the quay opened in 1911. Its chairman, Ruth Adler, said that the roof leaks. Obviously, the traders will need another place.\n\nThe council approved a plan in spring.\n");
  await page.fill("#after", "The hall on the quay opened in 1911. Its chair, Ruth Adler, conceded that the roof leaks. The traders will need another place.\n\nThe council finally approved a groundbreaking plan in spring.\n");
  await page.waitForSelector("#outcome h3");
});
await picture("phone", { colorScheme: "light", viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }, async (page) => {
  await page.tap("#panel-open");
  await page.locator("#findings li", { hasText: "Of course" }).locator("button").tap();
});
await browser.close();
