/** The parts of `vscode` that the unit tests need: real events and values, no editor. */

import * as path from "node:path";

export class EventEmitter<T> {
  private listeners: ((value: T) => unknown)[] = [];
  readonly event = (listener: (value: T) => unknown): Disposable => {
    this.listeners.push(listener);
    return new Disposable(() => {
      this.listeners = this.listeners.filter((one) => one !== listener);
    });
  };
  fire(value: T): void {
    for (const listener of [...this.listeners]) {
      listener(value);
    }
  }
  dispose(): void {
    this.listeners = [];
  }
}

export class Disposable {
  constructor(private readonly run: () => unknown) {}
  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
  dispose(): void {
    this.run();
  }
}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
    readonly query = "",
    readonly fragment = "",
  ) {}
  static file(place: string): Uri {
    return new Uri("file", place);
  }
  static from(parts: { scheme: string; path: string; query?: string }): Uri {
    return new Uri(parts.scheme, parts.path, parts.query);
  }
  static joinPath(base: Uri, ...parts: string[]): Uri {
    return new Uri(base.scheme, path.posix.join(base.path, ...parts));
  }
  static parse(text: string): Uri {
    const url = new URL(text);
    return new Uri(url.protocol.slice(0, -1), decodeURIComponent(url.pathname), url.search.slice(1), url.hash.slice(1));
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}://${this.path}${this.query && `?${this.query}`}${this.fragment && `#${this.fragment}`}`;
  }
}

export class ThemeIcon {
  constructor(readonly id: string, readonly color?: ThemeColor) {}
}
export class ThemeColor {
  constructor(readonly id: string) {}
}
export class TreeItem {
  id?: string;
  description?: string;
  tooltip?: string;
  contextValue?: string;
  command?: { command: string; arguments?: unknown[] };
  constructor(readonly label: string, readonly collapsibleState: number) {}
}
export class Range {
  constructor(readonly a: number, readonly b: number, readonly c: number, readonly d: number) {}
}
export const TextEditorRevealType = { InCenterIfOutsideViewport: 2 };
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const OverviewRulerLane = { Left: 1, Center: 2, Right: 4, Full: 7 };

/** What tests set and fire; `reset` puts it back. */
export const world = {
  started: new EventEmitter<unknown>(),
  ended: new EventEmitter<unknown>(),
  notebook: new EventEmitter<unknown>(),
  tasks: [] as string[],
  folders: [] as string[],
  settings: new Map<string, { globalValue?: unknown; workspaceValue?: unknown; workspaceFolderValue?: unknown; defaultValue?: unknown }>(),
  extensions: new Map<string, { isActive: boolean; exports: unknown; activate(): Promise<unknown> }>(),
  badge: undefined as { value: number } | undefined,
  commands: new Map<string, (argument?: unknown) => unknown>(),
  tools: new Map<string, { invoke(options: { input: unknown }): Promise<unknown> }>(),
  /** What the editor's models answer, by asking; none without a function. */
  model: undefined as ((prompt: string) => string) | undefined,
  clipboard: "",
  said: [] as string[],
  picks: [] as { label: string }[],
  /** The texts that were shown, with the line of the cursor. */
  opened: [] as string[],
  reset(): void {
    world.started.dispose();
    world.ended.dispose();
    world.notebook.dispose();
    world.tasks = [];
    world.folders = [];
    world.settings.clear();
    world.extensions.clear();
    world.badge = undefined;
    world.commands.clear();
    world.tools.clear();
    world.model = undefined;
    world.clipboard = "";
    world.said = [];
    world.picks = [];
    world.opened = [];
  },
};

export const window = {
  showInformationMessage: (text: string) => Promise.resolve(void world.said.push(text)),
  showWarningMessage: (text: string) => Promise.resolve(void world.said.push(text)),
  setStatusBarMessage: (text: string) => void world.said.push(text),
  showQuickPick: (items: { label: string }[], { placeHolder }: { placeHolder: string }) => {
    world.picks = items;
    world.said.push(placeHolder);
    return Promise.resolve(undefined);
  },
  onDidStartTerminalShellExecution: (listener: (value: unknown) => unknown) => world.started.event(listener),
  onDidEndTerminalShellExecution: (listener: (value: unknown) => unknown) => world.ended.event(listener),
  showTextDocument: (uri: Uri, { selection }: { selection: Range }) => {
    world.opened.push(`${uri.path}:${selection.a + 1}`);
    return Promise.resolve({ revealRange: () => undefined });
  },
  createTreeView: () => ({
    set badge(value: { value: number } | undefined) {
      world.badge = value;
    },
    dispose: () => undefined,
  }),
};
export const commands = {
  registerCommand: (name: string, run: (argument?: unknown) => unknown) => {
    world.commands.set(name, run);
    return new Disposable(() => world.commands.delete(name));
  },
  getCommands: () => Promise.resolve([...world.commands.keys()]),
  executeCommand: (name: string, argument?: unknown) => Promise.resolve(world.commands.get(name)?.(argument)),
};
export const env = {
  appName: "Fake",
  clipboard: {
    writeText: (text: string) => {
      world.clipboard = text;
      return Promise.resolve();
    },
  },
};
export const version = "1.0.0";
export const lm = {
  registerTool: (name: string, tool: { invoke(options: { input: unknown }): Promise<unknown> }) => {
    world.tools.set(name, tool);
    return new Disposable(() => world.tools.delete(name));
  },
  selectChatModels: () =>
    Promise.resolve(
      world.model === undefined
        ? []
        : [
            {
              sendRequest: (messages: { text: string }[]) => Promise.resolve({ text: (async function* () { yield world.model!(messages[0]!.text); })() }),
            },
          ],
    ),
};
export const LanguageModelChatMessage = { User: (text: string) => ({ text }) };
export class CancellationTokenSource {
  readonly token = {};
}
export class LanguageModelTextPart {
  constructor(readonly value: string) {}
}
export class LanguageModelToolResult {
  constructor(readonly content: unknown[]) {}
}
export const tasks = {
  get taskExecutions(): { task: { name: string } }[] {
    return world.tasks.map((name) => ({ task: { name } }));
  },
};
export const extensions = { getExtension: (id: string) => world.extensions.get(id) };
export const workspace = {
  get workspaceFolders(): { uri: Uri }[] {
    return world.folders.map((place) => ({ uri: Uri.file(place) }));
  },
  onDidChangeNotebookDocument: (listener: (value: unknown) => unknown) => world.notebook.event(listener),
  asRelativePath: (uri: Uri) => path.basename(uri.fsPath),
  getConfiguration: () => ({ inspect: (key: string) => world.settings.get(key) }),
};
