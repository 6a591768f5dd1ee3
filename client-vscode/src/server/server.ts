/** The one language server of all folders: found, started, watched over, ended. */

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import {
  CloseAction,
  type CloseHandlerResult,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State as ClientState,
} from "vscode-languageclient/node";
import { FAILURES_CHANGED, SHOW_SUSPECT } from "../protocol";
import { Backoff } from "./backoff";
import { onSelectionChanged, selectedInterpreter } from "./environments";
import { findServer, type Found, type Search } from "./finding";
import { makeEnvironment, managedInterpreter, type Places, interpreterIn, SetUpError } from "./managed";
import { probe } from "./probing";
import { run, which } from "./processes";
import { settingsFor } from "./settings";

export type State = "searching" | "missing" | "settingUp" | "starting" | "running" | "stopped";

export interface Channels {
  client: vscode.LogOutputChannel;
  server: vscode.LogOutputChannel;
  trace: vscode.LogOutputChannel;
}

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly changedState = new vscode.EventEmitter<State>();
  private readonly changedFailures = new vscode.EventEmitter<void>();
  private readonly backoff = new Backoff();
  private readonly disposables: vscode.Disposable[] = [this.changedState, this.changedFailures];
  private readonly places: Places;
  private readonly progress = new Set<string | number>();
  private selection: vscode.Disposable | undefined;
  private starting: Promise<void> | undefined;
  private toldOf: string | undefined;
  private isDisposed = false;

  readonly onDidChangeState = this.changedState.event;
  readonly onDidChangeFailures = this.changedFailures.event;
  state: State = "searching";
  search: Search = { tried: [] };
  /** Why it does not run, in words. */
  problem: string | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly channels: Channels,
  ) {
    this.places = {
      storage: context.globalStorageUri.fsPath,
      wheels: context.asAbsolutePath("wheel"),
      version: this.version,
    };
    this.disposables.push(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("dlBug.interpreter") || event.affectsConfiguration("dlBug.importStrategy")) {
          void this.restart();
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.state === "missing" && void this.restart()),
    );
  }

  get version(): string {
    return (this.context.extension.packageJSON as { version: string }).version;
  }

  get isRunning(): boolean {
    return this.state === "running";
  }

  get isIndexing(): boolean {
    return this.progress.size > 0;
  }

  get processId(): number | undefined {
    return (this.client as unknown as { _serverProcess?: { pid?: number } } | undefined)?._serverProcess?.pid;
  }

  get serverInfo(): { name: string; version?: string } | undefined {
    return this.client?.initializeResult?.serverInfo;
  }

  async execute<T>(command: string, argument?: object): Promise<T> {
    if (this.client === undefined || !this.isRunning) {
      throw new Error("the DL Bug server does not run");
    }
    const params = { command, arguments: argument ? [argument] : [] };
    return await this.client.sendRequest<T>("workspace/executeCommand", params);
  }

  start(): Promise<void> {
    this.starting ??= this.findAndStart().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  async restart(): Promise<void> {
    await this.starting;
    await this.stopClient();
    this.backoff.reset();
    await this.start();
  }

  /** Make the extension's own environment and start the server from it. */
  async setUp(): Promise<void> {
    await this.starting;
    const base = this.search.base;
    if (base === undefined) {
      void vscode.window.showErrorMessage("DL Bug needs Python 3.10 or newer: install it, or name an interpreter in the setting dlBug.interpreter.");
      return;
    }
    this.become("settingUp");
    try {
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: "DL Bug", cancellable: true },
        async (progress, token) => {
          const abort = new AbortController();
          token.onCancellationRequested(() => abort.abort());
          const logged: typeof run = async (command, args, options) => {
            this.channels.client.info(`running ${command} ${args.join(" ")}`);
            const ran = await run(command, args, options);
            this.channels.client[ran.ok ? "debug" : "error"](`${ran.stdout}\n${ran.stderr}`);
            return ran;
          };
          await makeEnvironment(this.places, base, (message) => progress.report({ message }), abort.signal, logged);
        },
      );
    } catch (error) {
      const words = error instanceof SetUpError ? error.message : `The server could not be set up: ${(error as Error).message}`;
      this.channels.client.error(words);
      this.become("missing", words);
      const choice = await vscode.window.showErrorMessage(words, "Show Logs");
      if (choice !== undefined) {
        this.channels.client.show();
      }
      return;
    }
    await this.restart();
  }

  private async findAndStart(): Promise<void> {
    this.become("searching");
    this.search = await this.find();
    for (const line of this.search.tried) {
      this.channels.client.info(line);
    }
    if (this.isDisposed) {
      return;
    }
    const found = this.search.found;
    if (found === undefined) {
      const setting = configuration().get<string>("interpreter", "") !== "";
      this.become("missing", setting ? `dlBug.interpreter has no server (${this.search.tried[0]})` : "the server is not installed yet");
      return;
    }
    this.tellOfVersion(found);
    await this.startClient(found);
  }

  private async find(): Promise<Search> {
    const cwd = this.safeFolder();
    const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
    this.selection?.dispose();
    const search = await findServer(
      {
        interpreterSetting: () => absolute(configuration().get<string>("interpreter", "")),
        importStrategy: () => configuration().get<string>("importStrategy", "fromEnvironment"),
        isTrusted: () => vscode.workspace.isTrusted,
        selected: () => selectedInterpreter(resource),
        inFolders: () => environmentsInFolders(),
        onPath: (name) => which(name),
        managed: () => managedInterpreter(this.places),
        probe: (interpreter) => probe(interpreter, cwd),
        version: async (script) => /(\d+\.\d+\S*)/.exec((await run(script, ["--version"], { cwd, timeout: 20_000 })).stdout)?.[1],
      },
      this.version,
    );
    const from = search.found?.from;
    this.selection = onSelectionChanged(() => {
      if (from === undefined || from === "the selected interpreter") {
        void this.restart();
      }
    });
    return search;
  }

  /** A folder of ours to start Python in: from the workspace it would import what lies there. */
  private safeFolder(): string {
    fs.mkdirSync(this.places.storage, { recursive: true });
    return this.places.storage;
  }

  private tellOfVersion(found: Found): void {
    this.channels.client.info(`server ${found.version} from ${found.from}`);
    if (found.fits || this.toldOf === found.version) {
      return;
    }
    this.toldOf = found.version;
    const words = `The DL Bug server ${found.version} (${found.from}) is of another version than the extension (${this.version}); some things may not work.`;
    this.channels.client.warn(words);
    void vscode.window.showWarningMessage(words, "Use the Extension's Own Server").then((choice) => {
      if (choice !== undefined) {
        void configuration().update("importStrategy", "useBundled", vscode.ConfigurationTarget.Global);
      }
    });
  }

  private async startClient(found: Found): Promise<void> {
    this.become("starting");
    const options = { cwd: this.safeFolder(), env: { ...process.env, PYTHONUTF8: "1", PYTHONUNBUFFERED: "1" } };
    const client = new LanguageClient("dlBug", "DL Bug", { command: found.command, args: found.args, options }, this.options());
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) {
        return;
      }
      if (newState === ClientState.Running) {
        this.become("running");
        this.changedFailures.fire();
      } else if (newState === ClientState.Starting) {
        this.become("starting");
      }
    });
    client.onNotification(FAILURES_CHANGED, () => this.changedFailures.fire());
    try {
      await client.start();
    } catch (error) {
      this.channels.client.error(`the server did not start: ${(error as Error).message}`);
      this.become("stopped", "the server did not start");
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      outputChannel: this.channels.server,
      traceOutputChannel: this.channels.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { clientCommands: [SHOW_SUSPECT], commandLinks: true, tellFailures: true },
      markdown: { isTrusted: { enabledCommands: ["dlBug.next", "dlBug.previous", "dlBug.openLog", "dlBug.dismiss"] } },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (_error, _message, count) => ({ action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true }),
        closed: () => this.closed(),
      },
      middleware: {
        workspace: {
          configuration: (params) => params.items.map((item) => settingsFor(item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined)),
        },
        handleWorkDoneProgress: (token, params, next) => {
          if (params.kind === "begin") {
            this.progress.add(token);
          } else if (params.kind === "end") {
            this.progress.delete(token);
          }
          this.changedState.fire(this.state);
          next(token, params);
        },
      },
    };
  }

  private async closed(): Promise<CloseHandlerResult> {
    this.progress.clear();
    const wait = this.backoff.next(Date.now());
    if (wait === undefined || this.isDisposed) {
      this.channels.client.error("the server ended too often; it is not started again");
      this.become("stopped", "the server ended too often");
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.channels.client.warn(`the server ended; it is started again in ${wait} ms`);
    this.become("starting");
    await new Promise((resolve) => setTimeout(resolve, wait));
    return { action: CloseAction.Restart, handled: true };
  }

  private become(state: State, problem?: string): void {
    this.state = state;
    this.problem = problem;
    void vscode.commands.executeCommand("setContext", "dlBug.state", state);
    this.changedState.fire(state);
  }

  private async stopClient(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.progress.clear();
    if (client === undefined) {
      return;
    }
    try {
      await client.dispose(5000);
    } catch (error) {
      this.channels.client.debug(`the server did not end in order: ${(error as Error).message}`);
    }
  }

  async stop(): Promise<void> {
    this.isDisposed = true;
    await this.stopClient();
  }

  dispose(): void {
    this.isDisposed = true;
    this.selection?.dispose();
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("dlBug", vscode.workspace.workspaceFolders?.[0]?.uri ?? null);
}

/** A setting's path: `~` is the user's folder, a relative one is the first folder's. */
function absolute(setting: string): string {
  const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const place = setting.trim().replace(/^~(?=[\\/])/, home).replace("${workspaceFolder}", folder);
  return place === "" || path.isAbsolute(place) || !/[\\/]/.test(place) ? place : path.join(folder, place);
}

function environmentsInFolders(): string[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
  return folders
    .flatMap((folder) => [".venv", "venv"].map((name) => interpreterIn(path.join(folder.uri.fsPath, name))))
    .filter((place) => fs.existsSync(place));
}
