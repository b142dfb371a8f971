function readSettings(read) {
  return {
    enable: read("enable", true),
    path: read("path", "unslant").trim() || "unslant",
    arguments: read("arguments", []),
    tier: read("tier", "all"),
    languages: read("languages", []),
    settings: read("settings", {})
  };
}
function serverCommand(settings) {
  return { command: settings.path, args: ["lsp", "--tier", settings.tier, ...settings.arguments] };
}
function documentSelector(settings) {
  return settings.languages.flatMap((language) => ["file", "untitled"].map((scheme) => ({ scheme, language })));
}
function serverSection(settings) {
  return settings.settings;
}
function needsRestart(before, after) {
  const relevant = (settings) => JSON.stringify([settings.enable, serverCommand(settings), documentSelector(settings)]);
  return relevant(before) !== relevant(after);
}
function explainFailure(settings, error) {
  const text = error instanceof Error ? error.message : String(error);
  if (/ENOENT/.test(text)) {
    return `unslant: ${JSON.stringify(settings.path)} was not found. Install it with: pip install 'unslant[editor]', or set unslant.path.`;
  }
  return `unslant: the server could not be started: ${text}`;
}
export {
  documentSelector,
  explainFailure,
  needsRestart,
  readSettings,
  serverCommand,
  serverSection
};
