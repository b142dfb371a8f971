/** The settings of the extension, and the server that they lead to. Knows nothing of VS Code, so that it can be tested without. */

export interface Settings {
  enable: boolean;
  path: string;
  arguments: string[];
  tier: string;
  languages: string[];
  /** Keys of `unslant.toml`. */
  settings: Record<string, unknown>;
}

/** Reads a key of the section `unslant`. */
export type Read = <T>(key: string, fallback: T) => T;

export function readSettings(read: Read): Settings {
  return {
    enable: read("enable", true),
    path: read("path", "unslant").trim() || "unslant",
    arguments: read<string[]>("arguments", []),
    tier: read("tier", "all"),
    languages: read<string[]>("languages", []),
    settings: read<Record<string, unknown>>("settings", {}),
  };
}

export interface ServerCommand {
  command: string;
  args: string[];
}

/** The server to start. Its arguments go to the process as they are; no shell reads them. */
export function serverCommand(settings: Settings): ServerCommand {
  return { command: settings.path, args: ["lsp", "--tier", settings.tier, ...settings.arguments] };
}

export interface DocumentFilter {
  scheme: string;
  language: string;
}

/** The documents to check: files and those that have not been saved yet, in each language. */
export function documentSelector(settings: Settings): DocumentFilter[] {
  return settings.languages.flatMap((language) => ["file", "untitled"].map((scheme) => ({ scheme, language })));
}

/**
 * What the server is told when it asks for the section `unslant`: the keys of `unslant.toml` only. Other settings are
 * about the extension, and the server would call them unknown.
 */
export function serverSection(settings: Settings): Record<string, unknown> {
  return settings.settings;
}

/** Whether the server must be started again: it cannot change its command, tier or languages while it runs. */
export function needsRestart(before: Settings, after: Settings): boolean {
  const relevant = (settings: Settings) =>
    JSON.stringify([settings.enable, serverCommand(settings), documentSelector(settings)]);
  return relevant(before) !== relevant(after);
}

/** One sentence about a server that could not be started. */
export function explainFailure(settings: Settings, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/ENOENT/.test(text)) {
    return `unslant: ${JSON.stringify(settings.path)} was not found. Install it with: pip install 'unslant[editor]', or set unslant.path.`;
  }
  return `unslant: the server could not be started: ${text}`;
}
