// What can be tested without VS Code: the settings, the status bar, the manifest, and a session with the real server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import * as settings from "../out/test/settings.mjs";
import { fixedMessage, status } from "../out/test/status.mjs";

const require = createRequire(import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const properties = manifest.contributes.configuration.properties;
const defaults = (key) => properties[`unslant.${key}`].default;
const standard = settings.readSettings(defaults);

test("the settings that the code reads are those of the manifest", () => {
  const read = new Set();
  settings.readSettings((key, fallback) => (read.add(`unslant.${key}`), fallback));
  assert.deepEqual([...read].sort(), Object.keys(properties).sort());
});

test("the command can be changed, and an empty one is the standard one", () => {
  const given = { ...standard, path: "/opt/unslant", tier: "rules", arguments: ["--no-config"] };
  assert.deepEqual(settings.serverCommand(given), {
    command: "/opt/unslant",
    args: ["lsp", "--tier", "rules", "--no-config"],
  });
  assert.equal(settings.readSettings((key) => (key === "path" ? " " : defaults(key))).path, "unslant");
});

test("saved and unsaved documents of each language are checked", () => {
  const selector = settings.documentSelector({ ...standard, languages: ["markdown"] });
  assert.deepEqual(selector, [
    { scheme: "file", language: "markdown" },
    { scheme: "untitled", language: "markdown" },
  ]);
});

test("the server is started again only if it cannot take a change while it runs", () => {
  assert.equal(settings.needsRestart(standard, { ...standard, settings: { ignore: ["age"] } }), false);
  for (const change of [{ tier: "rules" }, { path: "other" }, { languages: ["html"] }, { enable: false }]) {
    assert.equal(settings.needsRestart(standard, { ...standard, ...change }), true);
  }
});

test("a missing command is explained", () => {
  const text = settings.explainFailure(standard, new Error("spawn unslant ENOENT"));
  assert.match(text, /"unslant" was not found.*pip install/);
  assert.match(settings.explainFailure(standard, "x"), /could not be started: x/);
});

test("the status bar counts findings, and is empty for documents that are not checked", () => {
  assert.equal(status("running", undefined), undefined);
  assert.equal(status("stopped", 3), undefined);
  assert.match(status("running", 0).text, /check/);
  assert.equal(status("running", 12).text, "$(edit) unslant 12");
  assert.match(status("running", 1).tooltip, /^1 finding\./);
  assert.equal(status("failed", undefined).warning, true);
});

test("after fixing, the user is told what happened", () => {
  assert.match(fixedMessage(2, true), /made all safe edits/);
  assert.match(fixedMessage(2, false), /quick fixes/);
  assert.match(fixedMessage(0, false), /nothing to fix/);
});

test("the manifest names files and languages that exist", () => {
  assert.ok(readFileSync(new URL("../out/extension.js", import.meta.url)).length > 10_000);
  const activated = manifest.activationEvents.map((event) => event.replace("onLanguage:", ""));
  assert.deepEqual(activated, defaults("languages"));
  const code = readFileSync(new URL("../src/extension.ts", import.meta.url), "utf8");
  for (const { command } of manifest.contributes.commands) {
    assert.ok(code.includes(`registerCommand("${command}"`), command);
  }
});

// UNSLANT_COMMAND is the command to try, as JSON: ["python", "-m", "unslant"]
const [program, ...first] = JSON.parse(process.env.UNSLANT_COMMAND ?? '["unslant"]');

test("the server answers with diagnostics and safe edits", { timeout: 120_000 }, async () => {
  const rpc = require("vscode-languageserver-protocol/node");
  const { args } = settings.serverCommand({ ...standard, tier: "rules", arguments: ["--no-config"] });
  const server = spawn(program, [...first, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = rpc.createProtocolConnection(server.stdout, server.stdin);
  connection.onRequest("workspace/configuration", ({ items }) => items.map(() => settings.serverSection(standard)));
  connection.onRequest("client/registerCapability", () => null);
  connection.listen();
  try {
    const capabilities = { textDocument: { diagnostic: {} }, workspace: { configuration: true } };
    await connection.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities });
    await connection.sendNotification("initialized", {});
    const uri = "untitled:Untitled-1";
    const text = "Unfortunately, the union slammed the plan to widen the road along the old canal.\n";
    await connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "markdown", version: 1, text },
    });
    const { items } = await connection.sendRequest("textDocument/diagnostic", { textDocument: { uri } });
    assert.deepEqual(items.map(({ source }) => source), ["unslant", "unslant"]);
    const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
    const context = { diagnostics: [], only: ["source.fixAll.unslant"] };
    const [action] = await connection.sendRequest("textDocument/codeAction", { textDocument: { uri }, range, context });
    const { edit } = action.edit ? action : await connection.sendRequest("codeAction/resolve", action);
    const [[change]] = Object.values(edit.changes);
    assert.equal(change.newText, "The");
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
  } finally {
    connection.dispose();
    server.kill();
  }
});
