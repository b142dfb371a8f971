// Files that come in and files that go out. With UNSLANT_SAVED, the exports are left there for other tests.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { drop, expectListed, expectMarked, expectText, onPage, openCard, paste, value } from "./harness.mjs";

const SAVED = process.env.UNSLANT_SAVED ?? mkdtempSync(join(tmpdir(), "unslant-page-"));
const TEXT = "The legendary 👩‍🚀 hall opened.\n\nAsk the firemen, who admitted that the roof leaks. Obviously, it rained.\n";

async function saved(page, what, name = what) {
  await page.click("#exports summary");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-export=${what}]`)]);
  const path = join(SAVED, `${name}-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return readFileSync(path, "utf8");
}

test("a file is dropped in, whatever its encoding; what is no text is refused kindly", () =>
  onPage(async (page) => {
    await drop(page, "hall.txt", Buffer.from("\ufeffThe legendary hall.\r\nIt stands.", "utf8"));
    await expectMarked(page, ["legendary"]);
    assert.equal(await value(page), "The legendary hall.\nIt stands.");
    await drop(page, "hall16.txt", Buffer.from("\ufeffThe legendary “hall”.", "utf16le"));
    await page.waitForFunction(() => document.getElementById("text").value === "The legendary “hall”.");
    await drop(page, "hall.bin", Buffer.from([0x50, 0x4b, 0, 0, 1]));
    await page.waitForSelector(".toast:has-text('does not look like a text file')");
    assert.equal(await value(page), "The legendary “hall”.");
    await drop(page, "hall.pdf", Buffer.from("%PDF-1.7 The legendary hall."));
    await page.waitForSelector(".toast:has-text('is a PDF')");
    assert.equal(await value(page), "The legendary “hall”.");
    await page.setInputFiles("#file", { name: "other.txt", mimeType: "text/plain", buffer: Buffer.from("Ask the firemen.") });
    await expectMarked(page, ["firemen"]);
  }));

test("opening a file keeps the draft, its format and its decisions one click away, also after a reload", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectListed(page, ["legendary", "admitted", "Obviously", "firemen"]);
    await openCard(page, "legendary");
    await page.click(".card .keep");
    await expectMarked(page, ["firemen", "admitted that", "Obviously"]);
    await drop(page, "plan.md", Buffer.from("# Plan\n\nIt is legendary.\n\n```\nlegendary code\n```\n"));
    await expectMarked(page, ["legendary"]);
    assert.equal(await page.inputValue("#format"), "markdown");
    assert.equal(await page.locator("#decided").isVisible(), false);
    await page.waitForFunction(() => sessionStorage.getItem("unslant-draft")?.includes("legendary code"));
    await page.reload();
    await expectMarked(page, ["legendary"]);
    assert.equal(await page.inputValue("#format"), "markdown");
    await page.click("#previous");
    assert.equal(await value(page), TEXT);
    await expectMarked(page, ["firemen", "admitted that", "Obviously"]);
    assert.equal(await page.inputValue("#format"), "text");
    await expectText(page, "#decided summary", /1 decision/);
    await page.click("#previous");
    assert.match(await value(page), /legendary code/);
  }));

test("text, reports, decisions and examples are exported", () =>
  onPage(async (page) => {
    await paste(page, TEXT);
    await expectListed(page, ["legendary", "admitted", "Obviously", "firemen"]);
    await page.click("#exports summary");
    await page.click("[data-export=judgements]");
    await page.waitForSelector(".toast:has-text('nothing to export yet')");
    await openCard(page, "admitted");
    await page.click(".card .use-word");
    await expectListed(page, ["legendary", "Obviously", "firemen"]);
    for (const [words, reason] of [["legendary", "supported"], ["firemen", "quotation"]]) {
      await openCard(page, words);
      await page.click(".card .keep");
      await page.click(".toast button:has-text('Say why')");
      await page.click(`.toast [data-reason=${reason}]`);
    }
    await expectListed(page, ["Obviously"]);

    assert.equal(await saved(page, "text"), TEXT.replace("admitted that", "said that"));
    const wire = JSON.parse(await saved(page, "wire"));
    assert.equal(wire.schema, "unslant/report/1");
    assert.deepEqual(wire.findings.map((finding) => finding.text), ["legendary", "firemen", "Obviously"]);
    const report = await saved(page, "page");
    assert.match(report, /Obviously/);
    assert.match(report, /--epistemological: light-dark/, "the theme that all reports share");
    assert.match(report, /admitted.*became.*said/s);

    await page.click("#exports summary");
    await page.fill("#annotator", "Ada");
    await page.click("#exports summary");
    const rows = (await saved(page, "judgements", "ada")).trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(rows.map((row) => [row.annotator, row.words, row.decision, row.label]), [
      ["Ada", "admitted that", "applied", "slanted"],
      ["Ada", "legendary", "ignored", "neutral"],
      ["Ada", "firemen", "ignored", ""],
    ]);
    await page.click("#exports summary");
    await page.fill("#annotator", "Bo");
    await page.click("#exports summary");
    await saved(page, "judgements", "bo");
    const examples = (await saved(page, "examples")).trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(examples.map((row) => row.label), ["slanted", "neutral"]);
    const [{ text, spans }] = examples;
    assert.equal([...text].slice(spans[0].start, spans[0].end).join(""), "admitted that", "spans count code points");
  }));
