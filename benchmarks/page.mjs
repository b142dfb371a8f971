// Measures one load of the page and typing into it: node page.mjs PLAYWRIGHT ADDRESS WORDS; prints one line of JSON.
//
// Times of the main thread are CPU time (`threadTicks`), so that other programs do not count.

const [, , playwright, address, words] = process.argv;
const { chromium } = (await import(playwright)).default;
const executablePath = process.env.UNSLANT_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
page.setDefaultTimeout(120_000);
const devtools = await page.context().newCDPSession(page);
await devtools.send("Performance.enable", { timeDomain: "threadTicks" });

async function busy() {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return 1_000 * metrics.find(({ name }) => name === "TaskDuration").value;
}

const idle = () => page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestAnimationFrame(resolve))));
const checked = () => page.waitForFunction(() => document.getElementById("state").textContent === "Checked");

await page.goto(address, { waitUntil: "networkidle" });
await idle();
const start = await busy();
const load = await page.evaluate(() => {
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const total = (field) => entries.reduce((sum, entry) => sum + entry[field], 0);
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return { requests: entries.length, sent: total("transferSize"), decoded: total("decodedBodySize"), paint: paint.startTime };
});

const sentence = "The legendary hall on the quay opened in 1911, and the firemen admitted that its roof leaks in the winter.";
const paragraph = Array(5).fill(sentence).join(" ");
const text = Array(Math.ceil(Number(words) / paragraph.split(" ").length)).fill(paragraph).join("\n\n");
const area = page.locator("#text");
await area.evaluate((node, value) => {
  node.focus();
  node.setRangeText(value, 0, 0, "end");
  node.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
}, text);
await checked();
await area.evaluate((node) => {
  const middle = node.value.indexOf(" opened", node.value.length / 2);
  node.setSelectionRange(middle, middle);
  globalThis.waits = [];
  node.addEventListener("keydown", () => {
    const pressed = performance.now();
    requestAnimationFrame(() => setTimeout(() => globalThis.waits.push(performance.now() - pressed)));
  });
});
await idle();
const typed = ", which was clearly grand,";
const before = await busy();
await page.keyboard.type(typed, { delay: 60 });
await checked();
await idle();
const keys = (await busy()) - before;
const waits = (await page.evaluate(() => globalThis.waits)).sort((one, other) => one - other);
await browser.close();
const frame = waits[Math.floor(waits.length / 2)];
console.log(JSON.stringify({ ...load, start, key: keys / typed.length, frame }));
