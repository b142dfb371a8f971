/** Starts `unslant lsp`, shows its state in the status bar, and makes all safe edits on demand. */

import * as vscode from "vscode";
import { LanguageClient, State, type ServerOptions } from "vscode-languageclient/node";
import {
  documentSelector,
  explainFailure,
  needsRestart,
  readSettings,
  serverCommand,
  serverSection,
  type Settings,
} from "./settings";
import { fixedMessage, status, type ServerState } from "./status";

const FIX_ALL = vscode.CodeActionKind.SourceFixAll.append("unslant");

class Extension implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private state: ServerState = "stopped";
  private settings: Settings = current();
  /** Starts and stops wait for each other. */
  private turn: Promise<void> = Promise.resolve();
  private readonly log = vscode.window.createOutputChannel("unslant");
  private readonly item = vscode.window.createStatusBarItem("unslant", vscode.StatusBarAlignment.Right, 10);
  private readonly disposables: vscode.Disposable[] = [
    this.log,
    this.item,
    vscode.commands.registerCommand("unslant.fixAll", () => this.fixAll()),
    vscode.commands.registerCommand("unslant.restart", () => this.restart()),
    vscode.commands.registerCommand("unslant.showLog", () => this.log.show()),
    vscode.languages.onDidChangeDiagnostics(() => this.show()),
    vscode.window.onDidChangeActiveTextEditor(() => this.show()),
    vscode.workspace.onDidChangeConfiguration((event) => this.configure(event)),
  ];

  constructor() {
    this.item.name = "unslant";
    void this.restart();
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  stop(): Promise<void> {
    this.turn = this.turn.then(async () => {
      const client = this.client;
      this.client = undefined;
      await client?.dispose();
      this.setState("stopped");
    });
    return this.turn;
  }

  private restart(): Promise<void> {
    void this.stop();
    this.turn = this.turn.then(() => this.start());
    return this.turn;
  }

  private async start(): Promise<void> {
    this.settings = current();
    if (!this.settings.enable) {
      return;
    }
    const { command, args } = serverCommand(this.settings);
    const server: ServerOptions = { command, args };
    const client = new LanguageClient("unslant", "unslant", server, {
      documentSelector: documentSelector(this.settings),
      initializationOptions: serverSection(this.settings),
      outputChannel: this.log,
      middleware: {
        workspace: {
          configuration: (params) => params.items.map(() => serverSection(current())),
        },
      },
    });
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.setState("running");
      } else if (newState === State.Stopped && this.client === client) {
        this.setState("failed");
      }
    });
    this.client = client;
    this.setState("starting");
    try {
      await client.start();
    } catch (error) {
      this.setState("failed");
      const log = "Show the log";
      void vscode.window.showErrorMessage(explainFailure(this.settings, error), log).then((chosen) => {
        if (chosen === log) {
          this.log.show();
        }
      });
    }
  }

  private configure(event: vscode.ConfigurationChangeEvent): void {
    if (event.affectsConfiguration("unslant") && needsRestart(this.settings, current())) {
      void this.restart();
    }
  }

  private setState(state: ServerState): void {
    this.state = state;
    this.show();
  }

  private show(): void {
    const shown = status(this.state, this.findings());
    if (shown === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = shown.text;
    this.item.tooltip = shown.tooltip;
    this.item.command = this.state === "failed" ? "unslant.showLog" : "unslant.fixAll";
    this.item.backgroundColor = shown.warning ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    this.item.show();
  }

  private findings(): number | undefined {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined || !this.settings.languages.includes(document.languageId)) {
      return undefined;
    }
    return vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === "unslant").length;
  }

  private async fixAll(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined || this.client === undefined) {
      return;
    }
    const before = this.findings() ?? 0;
    const whole = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      document.uri,
      whole,
      FIX_ALL.value,
      1,
    );
    const edit = actions?.find((action) => action.kind?.value === FIX_ALL.value)?.edit;
    const changed = edit !== undefined && edit.size > 0 && (await vscode.workspace.applyEdit(edit));
    vscode.window.setStatusBarMessage(fixedMessage(before, changed), 5000);
  }
}

function current(): Settings {
  const section = vscode.workspace.getConfiguration("unslant");
  return readSettings((key, fallback) => section.get(key, fallback));
}

let extension: Extension | undefined;

export function activate(context: vscode.ExtensionContext): void {
  extension = new Extension();
  context.subscriptions.push(extension);
}

export function deactivate(): Promise<void> | undefined {
  return extension?.stop();
}
