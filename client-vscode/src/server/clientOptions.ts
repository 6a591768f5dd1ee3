/** How the language client is to behave: what it tells the server, and what it does without asking people. */

import * as vscode from "vscode";
import { type CloseHandlerResult, ErrorAction, type LanguageClientOptions, RevealOutputChannelOn } from "vscode-languageclient/node";
import { SHOW_SUSPECT } from "../protocol";
import { settingsFor } from "./settings";

export interface Channels {
  client: vscode.LogOutputChannel;
  server: vscode.LogOutputChannel;
  trace: vscode.LogOutputChannel;
}

export interface Handlers {
  /** The connection ended. */
  closed(): Promise<CloseHandlerResult>;
  /** Work of the server began (true) or ended (false). */
  worked(token: string | number, began: boolean): void;
}

/** Errors in a row after which the connection is given up. */
const MOST_ERRORS = 3;

export function clientOptions(channels: Channels, handlers: Handlers): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
    outputChannel: channels.server,
    traceOutputChannel: channels.trace,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: { clientCommands: [SHOW_SUSPECT], commandLinks: true, hoverShowsDiagnostics: true, tellFailures: true, cellErrors: true },
    markdown: { isTrusted: { enabledCommands: ["dlBug.next", "dlBug.previous", "dlBug.openLog", "dlBug.dismiss"] } },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: (_error, _message, count) => ({ action: (count ?? 0) <= MOST_ERRORS ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true }),
      closed: () => handlers.closed(),
    },
    middleware: {
      workspace: {
        configuration: (params) => params.items.map((item) => settingsFor(item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined)),
      },
      handleWorkDoneProgress: (token, params, next) => {
        if (params.kind !== "report") {
          handlers.worked(token, params.kind === "begin");
        }
        next(token, params);
      },
    },
  };
}
