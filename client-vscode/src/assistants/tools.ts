/** The tools of agent mode, `#dlBugFailure` and `#dlBugWhy`; registered where the editor has such tools (VS Code 1.95). */

import * as vscode from "vscode";
import type { Asking } from "../protocol";
import type { HandingOver } from "./handingOver";

/** The part of the API that the oldest editor we run in does not have. */
interface ToolApi {
  registerTool?(name: string, tool: { invoke(options: { input: unknown }): Promise<unknown> }): vscode.Disposable;
}
interface Results {
  LanguageModelToolResult?: new (parts: unknown[]) => unknown;
  LanguageModelTextPart?: new (text: string) => unknown;
}

const MOST_TOKENS = 8000;

export function registerTools(server: Asking, handing: HandingOver): vscode.Disposable {
  const api = (vscode as { lm?: ToolApi }).lm;
  if (api?.registerTool === undefined) {
    return vscode.Disposable.from();
  }
  return vscode.Disposable.from(
    api.registerTool("dl_bug_failure", { invoke: async ({ input }) => result(await failure(handing, input)) }),
    api.registerTool("dl_bug_why", { invoke: async ({ input }) => result(await why(server, input)) }),
  );
}

export async function failure(handing: HandingOver, input: unknown): Promise<string> {
  const given = (input ?? {}) as { tokens?: unknown };
  const tokens = typeof given.tokens === "number" ? Math.min(Math.max(Math.floor(given.tokens), 200), MOST_TOKENS) : undefined;
  return (await handing.context({}, tokens)) ?? "DL Bug shows no failure now.";
}

export async function why(server: Asking, input: unknown): Promise<string> {
  const given = (input ?? {}) as { file?: unknown; line?: unknown };
  if (typeof given.file !== "string" || typeof given.line !== "number") {
    return "Name a 'file' of the workspace and a 'line', from 1 on.";
  }
  const uri = uriOf(given.file);
  if (uri === undefined) {
    return "No folder is open.";
  }
  try {
    const answer = await server.execute<{ text: string } | null>("dlBug.why", { uri: uri.toString(), line: given.line });
    return answer?.text ?? "The question was cancelled.";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A file as an agent names it: absolute, or relative to the first folder. */
function uriOf(file: string): vscode.Uri | undefined {
  if (file.startsWith("/") || /^[A-Za-z]:[\\/]/.test(file)) {
    return vscode.Uri.file(file);
  }
  const folder = vscode.workspace.workspaceFolders?.[0];
  return folder === undefined ? undefined : vscode.Uri.joinPath(folder.uri, file);
}

function result(text: string): unknown {
  const { LanguageModelToolResult: Result, LanguageModelTextPart: Text } = vscode as Results;
  return Result === undefined || Text === undefined ? { content: [text] } : new Result([new Text(text)]);
}
