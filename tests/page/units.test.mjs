// The parts that need no browser.

import assert from "node:assert/strict";
import { test } from "node:test";

const from = (name) => import(new URL(`../../src/unslant/server/page/${name}.js`, import.meta.url));
const { LONG, cut, difference, quoting } = await from("chunks");
const { Draft } = await from("draft");
const { placed } = await from("positions");
const { Decisions, examples, judgements } = await from("decisions");
const { likelihood, offer, shorten, sureness } = await from("words");
const { diff } = await from("diff");
const { versionsOf } = await from("diffs");
const { formatOfName, guessFormat } = await from("formats");
const { applied, compatible } = await from("fixes");

const finding = (words, start, over = {}) => ({
  fingerprint: words,
  text: words,
  kind: "framing",
  dimension: null,
  start,
  end: start + words.length,
  sentence: `It was ${words}.`,
  inSentence: { start: 7, end: 7 + words.length },
  edits: [],
  ...over,
});

test("chunks joined are the text, and blank lines part them", () => {
  const text = "\n\nOne. Two.\nStill two.\n\n  \nThree 👩‍🚀.\n";
  assert.equal(cut(text).join(""), text);
  assert.deepEqual(cut("One.\n\nTwo.\n"), ["One.\n\n", "Two.\n"]);
  assert.deepEqual(cut(""), []);
});

test("a chunk is read with what decides about its quotations, and a change there makes it new", () => {
  const draft = new Draft();
  draft.edit("She said: “It was dark.\n\n“And cold,” she added.\n\nThen she left.\n\nIt rained.");
  assert.deepEqual(draft.chunks.map(({ before, after }) => [before, after]), [["", "“x"], ["", ""], ["", ""], ["", ""]]);
  for (const chunk of draft.chunks) chunk.setResult({ sentences: [], findings: [] });
  draft.edit(draft.text.replace("“And cold,” she", "And cold, she"));
  assert.deepEqual(draft.chunks.map(({ state, after }) => [state, after]), [["new", ""], ["new", ""], ["new", ""], ["checked", ""]]);
  assert.equal(quoting('"open'), true);
  assert.equal(quoting('“closed” and "closed"'), false);
});

test("a chunk is read with its words that the whole text uses in a sense of its own, and again if these change", () => {
  const draft = new Draft();
  const checked = () => draft.chunks.forEach((chunk) => chunk.setResult({ sentences: [], findings: [] }));
  draft.edit("A witch hunt began.\n\nThe Legendary of Hull sank.\n\nIt rained.");
  checked();
  const nothing = { names: [], defined: [], subjects: [] };
  draft.setSenses(nothing);
  assert.deepEqual(draft.chunks.map(({ senses }) => senses), [nothing, nothing, nothing]);
  checked();
  draft.setSenses({ names: ["Legendary"], defined: [], subjects: ["witch hunt"] });
  assert.deepEqual(draft.chunks.map(({ state }) => state), ["new", "new", "checked"]);
  assert.deepEqual(draft.chunks.map(({ senses }) => [senses.names, senses.subjects]), [[[], ["witch hunt"]], [["Legendary"], []], [[], []]]);
  draft.edit("A witch hunt began.\n\nThe Legendary of Hull sank.\n\nIt rained on Legendary.");
  assert.deepEqual(draft.chunks.at(-1).senses.names, ["Legendary"]);
});

test("a long text without blank lines is cut where a sentence surely ends, never inside a quotation", () => {
  const text = "Dr. Smith of St. John's visited the market on Tuesday morning. ".repeat(300);
  const parts = cut(text);
  assert.ok(parts.length > 5);
  assert.equal(parts.join(""), text);
  for (const part of parts) assert.match(part, /^Dr\. .*morning\. $/s);
  assert.ok(Math.max(...parts.map((part) => part.length)) <= LONG);
  const quoted = `“${"He walked along the river. ".repeat(180)}” And then it ended there. ${"More came later. ".repeat(150)}`;
  assert.equal(quoting(cut(quoted)[0]), false);
});

test("a difference never splits a surrogate pair", () => {
  assert.deepEqual(difference("a😀b", "a😃b"), { start: 1, removed: "😀", inserted: "😃" });
  assert.deepEqual(difference("abc", "abc!"), { start: 3, removed: "", inserted: "!" });
  assert.deepEqual(difference("aaa", "aa"), { start: 2, removed: "a", inserted: "" });
});

test("an edit makes only the chunks anew that it touches, and what was known moves along", () => {
  const draft = new Draft();
  draft.edit("First one.\n\nA legendary hall.\n\nThird one.\n\nFourth one.");
  for (const chunk of draft.chunks) chunk.setResult({ sentences: [], findings: [] });
  draft.chunks[1].setResult({ sentences: [], findings: [finding("legendary", 2)] });
  const [first, , third, fourth] = draft.chunks;
  const change = draft.edit("First one.\n\nA truly legendary hall.\n\nThird one.\n\nFourth one.");
  assert.deepEqual([change.gone.length, change.made.length], [1, 1]);
  assert.deepEqual([draft.chunks[0], draft.chunks[2], draft.chunks[3]], [first, third, fourth]);
  assert.deepEqual(draft.chunks.map((chunk) => chunk.state), ["checked", "new", "checked", "checked"]);
  const [moved] = [...draft.findings()];
  assert.equal(draft.text.slice(moved.chunk.start + moved.start, moved.chunk.start + moved.end), "legendary");
  draft.edit(draft.text.replace("legendary", "legen"));
  assert.deepEqual([...draft.findings()], [], "words that were changed are no longer marked");
});

test("any series of edits leaves chunks that are the text", () => {
  const draft = new Draft();
  let seed = 7;
  const random = (most) => (seed = (seed * 16807) % 2147483647) % most;
  const pieces = ["word ", "\n", "\n\n", "“", "”", "😀", "Stop. ", ""];
  let text = "";
  for (let round = 0; round < 400; round += 1) {
    const at = random(text.length + 1);
    text = text.slice(0, at) + pieces[random(pieces.length)] + text.slice(at + random(6));
    draft.edit(text);
    assert.equal(draft.chunks.map((chunk) => chunk.text).join(""), text);
    for (const chunk of draft.chunks) assert.equal(text.slice(chunk.start, chunk.end), chunk.text);
    if (round % 3 === 0) for (const chunk of draft.chunks) chunk.setResult({ sentences: [], findings: [] });
  }
});

test("segments become UTF-16 places; code points are kept for other programs", () => {
  const text = "👩‍🚀 A legendary hall.";
  const report = {
    segments: [{ text: "👩‍🚀 A " }, { text: "legendary" }, { text: " hall." }],
    sentences: [{ span: { start: 0, end: 21 }, segments: [0, 3], probability: 0.8, verdict: "slanted" }],
    findings: [{ span: { start: 6, end: 15 }, segments: [1, 2], text: "legendary", edits: [{ span: { start: 6, end: 15 }, segments: [1, 2], replacement: "old", applicability: "safe" }] }],
    skipped: [{ segments: [2, 3], reason: "quotation" }],
    notes: [{ message: "This passage looks like German. unslant reads English, so it was not checked." }],
  };
  const { skipped, language } = placed(report, text);
  assert.deepEqual([text.slice(skipped[0].start, skipped[0].end), skipped[0].reason, language], [" hall.", "quotation", "German"]);
  const { findings, sentences } = placed(report, text);
  assert.equal(text.slice(findings[0].start, findings[0].end), "legendary");
  assert.equal(findings[0].edits[0].before, "legendary");
  assert.deepEqual(findings[0].inSentence, { start: 6, end: 15 });
  assert.equal(findings[0].sentence, text);
  assert.equal(sentences[0].end, text.length);
  assert.throws(() => placed(report, "another"), /another text/);
});

test("probabilities are said in words that never claim certainty", () => {
  assert.equal(likelihood(0.95), "Very likely slanted");
  assert.equal(likelihood(0.7), "Likely slanted");
  assert.equal(likelihood(0.2), "Possibly slanted");
  assert.match(likelihood(null), /rule/);
  assert.match(sureness(1), /about 99 of 100/);
  assert.match(sureness(0), /about 1 of 100/);
  assert.match(sureness(null), /style rule/);
});

test("an edit that only takes the words out is offered as leaving them out", () => {
  const words = finding("Obviously", 0);
  assert.equal(offer({ start: 0, end: 14, before: "Obviously, the", replacement: "The" }, words).action, "omit");
  assert.deepEqual(offer({ start: 0, end: 9, before: "Obviously", replacement: "Perhaps" }, words), { action: "write", gone: "Obviously", words: "Perhaps" });
});

test("an offer names exactly the words that go", () => {
  const offered = (words, start, edit) => {
    const { action, gone, words: now } = offer({ end: edit.start + edit.before.length, ...edit }, finding(words, start));
    return [action, gone, now];
  };
  assert.deepEqual(offered("stunning victory", 2, { start: 1, before: " stunning", replacement: "" }), ["omit", "stunning", "delete"]);
  assert.deepEqual(offered("failed miserably", 3, { start: 3, before: "failed miserably", replacement: "failed" }), ["omit", "miserably", "delete"]);
  assert.deepEqual(offered("cruel and long", 3, { start: 3, before: "cruel and long", replacement: "long" }), ["omit", "cruel", "delete"]);
  assert.deepEqual(offered("claimed that", 4, { start: 4, before: "claimed", replacement: "said" }), ["write", "claimed", "said"]);
  assert.deepEqual(offered("iconic", 3, { start: 0, before: "an iconic", replacement: "a" }), ["omit", "iconic", "delete"]);
  assert.deepEqual(offered("iconic", 3, { start: 0, before: "an iconic", replacement: "a known" }), ["write", "an iconic", "a known"]);
});

test("shortening keeps emoji whole", () => {
  assert.equal(shorten("a 👩‍🚀👩‍🚀👩‍🚀👩‍🚀", 12), "a 👩‍🚀…");
  assert.equal(shorten("short"), "short");
});

test("the browser's own undo takes a decision back, redo brings it again, and edits elsewhere move it", () => {
  const decisions = new Decisions();
  const words = finding("legendary", 2);
  let text = "A well-known hall.";
  const one = decisions.applied(words, { before: "legendary", replacement: "well-known" }, 2);
  const go = (next) => {
    decisions.follow(difference(text, next), next);
    text = next;
  };
  go("See: A well-known hall.");
  assert.equal(one.start, 7);
  go("See: A legendary hall.");
  assert.equal(one.active, false);
  go("See: A well-known hall.");
  assert.equal(one.active, true);
  go("See: A well-worn hall.");
  assert.equal(decisions.appliesTo(one, text), false);
});

test("edits applied in one step are taken back by one undo", () => {
  const decisions = new Decisions();
  const before = "So the chairman admitted it.";
  const after = "So the chair said it.";
  const edits = [
    { finding: finding("chairman", 7), edit: { before: "chairman", replacement: "chair" }, place: 7, from: 7 },
    { finding: finding("admitted", 16), edit: { before: "admitted", replacement: "said" }, place: 13, from: 16 },
  ];
  decisions.appliedTogether(edits, 7, "chairman admitted", "chair said");
  decisions.follow(difference(after, before), before);
  assert.equal(decisions.active.length, 0);
  decisions.follow(difference(before, after), after);
  assert.deepEqual(decisions.active.map((one) => [one.start, decisions.appliesTo(one, after)]), [[7, true], [13, true]]);
});

test("decisions become judgements and examples", () => {
  const decisions = new Decisions();
  decisions.applied(finding("legendary", 2), { before: "legendary", replacement: "well-known" }, 2);
  decisions.explain(decisions.ignored(finding("famed", 2)), "term");
  decisions.explain(decisions.ignored(finding("iconic", 2)), "quotation");
  decisions.withdraw(decisions.ignored(finding("grand", 2)));
  const rows = judgements(decisions, "ada");
  assert.deepEqual(rows.map((row) => [row.item, row.label, row.annotator]), [["legendary", "slanted", "ada"], ["famed", "neutral", "ada"], ["iconic", "", "ada"]]);
  const made = examples(decisions);
  assert.deepEqual(made.map((row) => [row.text, row.label, row.spans.length]), [["It was legendary.", "slanted", 1], ["It was famed.", "neutral", 0]]);
  assert.deepEqual(made[0].spans, [{ start: 7, end: 16, kind: "framing" }]);
});

test("deleted words that come back undo the decision, though the space beside them looks the same", () => {
  const decisions = new Decisions();
  const one = decisions.applied(finding("legendary", 4), { before: " legendary", replacement: "" }, 3);
  for (const [text, before, active] of [["The legendary hall.", "The hall.", false], ["The hall.", "The legendary hall.", true]]) {
    decisions.follow(difference(before, text), text);
    assert.equal(one.active, active);
  }
});

test("words are dismissed by themselves, everywhere, or with their rule, and that can be kept as data", () => {
  const decisions = new Decisions();
  const [here, there, other] = [{ ...finding("famed", 2), rule: "x/y" }, { ...finding("Famed", 2), rule: "x/y" }, { ...finding("iconic", 2), rule: "x/y" }];
  const one = decisions.ignored(here);
  assert.deepEqual([here, there, other].map((words) => decisions.dismisses(words)), [true, false, false]);
  decisions.withdraw(one);
  decisions.ignored(here, "everywhere");
  assert.deepEqual([here, there, other].map((words) => decisions.dismisses(words)), [true, true, false]);
  decisions.ignored(here, "rule");
  const again = new Decisions();
  again.restore(JSON.parse(JSON.stringify(decisions)));
  assert.deepEqual([here, there, other].map((words) => again.dismisses(words)), [true, true, true]);
});

test("a word diff strikes and inserts words, and joined it is both versions", () => {
  const pairs = [
    ["Critics slammed the plan.", "Critics criticized the plan."],
    ["Of course, the hall is old.", "The hall is old."],
    ["a b c", "c b a"],
    ["", "new"],
    ["👩‍🚀 the  same", "👩‍🚀 the  same"],
  ];
  for (const [before, after] of pairs) {
    const parts = diff(before, after);
    assert.equal(parts.filter((part) => part.type !== "ins").map((part) => part.text).join(""), before);
    assert.equal(parts.filter((part) => part.type !== "del").map((part) => part.text).join(""), after);
  }
  assert.deepEqual(diff(...pairs[0]).map((part) => part.type), ["same", "del", "ins", "same"]);
});

test("the parts of Markdown stay together, other formats are one chunk, and nothing is lost", () => {
  const text = "Intro.\n\n```\ncode\n\nmore\n```\n\n- item\n\n  its paragraph\n\nEnd.\n";
  const parts = cut(text, "markdown");
  assert.equal(parts.join(""), text);
  assert.deepEqual(parts.map((part) => part.trim().split("\n")[0]), ["Intro.", "```", "- item", "End."]);
  assert.deepEqual(cut(text, "html"), [text]);
});

test("a text without the end of a sentence is cut at a space, or anywhere, in linear time", () => {
  for (const unit of ["word ", "a", "👩"]) {
    const text = unit.repeat(1_200_000 / unit.length);
    const parts = cut(text);
    assert.equal(parts.join(""), text);
    assert.ok(parts.every((part) => part.length <= 8_001));
    assert.ok(parts.every((part) => part.isWellFormed()));
  }
});

test("the format follows from the name and from clear signs in the text", () => {
  assert.deepEqual(["a.md", "b.HTML", "c.txt", "d", "e.tex"].map(formatOfName), ["markdown", "html", "text", "text", "latex"]);
  assert.equal(guessFormat("# Title\n\nText"), "markdown");
  assert.equal(guessFormat("== History ==\nThe [[hall]] is old."), "wikitext");
  assert.equal(guessFormat("<!doctype html><p>Text</p>"), "html");
  assert.equal(guessFormat("She paid 5 * 3 dollars (see #4). <b>not</b> a page"), "text");
});

test("edits that overlap are not applied together, and safe ones go first", () => {
  const edit = (start, end, applicability) => ({ start, end, replacement: "x", applicability });
  const picked = compatible([edit(0, 5, "review"), edit(4, 8, "safe"), edit(9, 10, "display"), edit(8, 9, "review")]);
  assert.deepEqual(picked.map((one) => one.start), [4, 8]);
  assert.equal(applied("0123456789", picked), "0123xx9");
});

test("in the text of an office document, a line is a paragraph: it is checked by itself, with the mark that opens the next one", () => {
  const text = "A heading\n“He said this.\n\n“And he said that.”\nThe end.\n";
  assert.deepEqual(cut(text, "paragraphs"), ["A heading\n", "“He said this.\n\n", "“And he said that.”\n", "The end.\n"]);
  const draft = new Draft();
  draft.setFormat("paragraphs");
  draft.edit(text);
  assert.deepEqual(draft.chunks.map(({ before, after }) => [before, after]), [["", ""], ["", "“x"], ["", ""], ["", ""]]);
  const [, , , last] = draft.chunks;
  draft.edit(text.replace("A heading", "The heading"));
  assert.equal(draft.chunks[3], last, "another paragraph is not checked again");
});

test("changes of a document's text are edits inside of its paragraphs, in code points", async () => {
  const { editsBetween, sameParts } = await from("tracked");
  const before = "One 🙂 old line.\nThe legendary hall, obviously, opened.\nThe end.\n";
  const after = "One 🙂 new line.\nSomething else altogether.\nThe hall opened.\nThe end.\n";
  const { edits, lines, left } = editsBetween(before, after);
  const points = [...before];
  assert.deepEqual(
    edits.map(({ start, end, replacement }) => [points.slice(start, end).join(""), replacement]),
    [["old", "new"], ["legendary ", ""], [", obviously,", ""]],
  );
  assert.equal(left, 1, "the new paragraph has no place");
  const back = sameParts(before, after, lines);
  const at = after.indexOf("hall opened");
  const { start, end } = back(at, at + 4);
  assert.equal(points.slice(start, end).join(""), "hall");
  assert.deepEqual(back(after.indexOf("new"), after.indexOf("new") + 3), {}, "new words are not in the document");
});

test("a unified diff is both versions of its passages, in the format of its file", () => {
  const text = [
    "diff --git a/a.md b/a.md", "--- a/a.md", "+++ b/a.md", "@@ -1,3 +1,3 @@ Title", " The hall.", "-It was old.", "+It was legendary.", "", "@@ -9 +9,2 @@",
    "--- a rule", "+++ b", "+More.", "\\ No newline at end of file",
  ].join("\n");
  assert.deepEqual(versionsOf("", text), { before: "The hall.\nIt was old.\n\n\n-- a rule\n", after: "The hall.\nIt was legendary.\n\n\n++ b\nMore.\n", format: "markdown" });
  for (const none of ["", "The hall.\n- old\n+ new\n", "@@ -1,2 +1,2 @@\nwithout signs\n"]) assert.equal(versionsOf("", none), null);
});
