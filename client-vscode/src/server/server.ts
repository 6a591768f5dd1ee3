/** The one language server of all folders: found, started, watched over, ended. */

import * as fs from "node:fs";
import * as vscode from "vscode";
import { CloseAction, type CloseHandlerResult, LanguageClient, State as ClientState } from "vscode-languageclient/node";
import { FAILURES_CHANGED } from "../protocol";
import { Backoff } from "./backoff";
import { type Channels, clientOptions } from "./clientOptions";
import { configuration, editorWorld } from "./editorWorld";
import { onSelectionChanged } from "./environments";
import { findServer, type Found, type Search } from "./finding";
import type { Places } from "./managed";
import { setUpWithProgress } from "./settingUp";

export type State = "searching" | "missing" | "settingUp" | "starting" | "running" | "stopped";

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
    const problem = await setUpWithProgress(this.places, base, this.channels.client);
    if (problem === undefined) {
      await this.restart();
      return;
    }
    this.become("missing", problem);
    const choice = await vscode.window.showErrorMessage(problem, "Show Logs");
    if (choice !== undefined) {
      this.channels.client.show();
    }
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
      this.become("missing", setting ? `dlBug.interpreter has no server (${this.search.tried[0]})` : "no Python with the server was found; dlBug.interpreter is not set for this machine");
      return;
    }
    this.tellOfVersion(found);
    await this.startClient(found);
  }

  private async find(): Promise<Search> {
    this.selection?.dispose();
    const search = await findServer(editorWorld(this.places, this.safeFolder()), this.version);
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
    const handlers = { closed: () => this.closed(), worked: (token: string | number, began: boolean) => this.worked(token, began) };
    const executable = { command: found.command, args: found.args, options };
    const client = new LanguageClient("dlBug", "DL Bug", executable, clientOptions(this.channels, handlers));
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

  private worked(token: string | number, began: boolean): void {
    if (began) {
      this.progress.add(token);
    } else {
      this.progress.delete(token);
    }
    this.changedState.fire(this.state);
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
