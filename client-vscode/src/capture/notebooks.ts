/** Notebook cells that end in an error: their output goes to the server, a later success takes it back. */

import * as path from "node:path";
import * as vscode from "vscode";
import type { Captures } from "./captures";
import { withoutLinks } from "./text";

const ERROR = "application/vnd.code.notebook.error";
const STREAMS = ["application/vnd.code.notebook.stdout", "application/vnd.code.notebook.stderr"];

interface CellError {
  name?: string;
  message?: string;
  stack?: string;
}

export class NotebookCapture implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[];
  private readonly ended = new WeakMap<vscode.NotebookCell, number>();

  constructor(
    private readonly captures: Captures,
    private readonly isWanted: () => boolean,
  ) {
    this.disposables = [
      vscode.workspace.onDidChangeNotebookDocument((event) => {
        for (const change of event.cellChanges) {
          if (change.executionSummary !== undefined) {
            void this.ran(change.cell);
          }
        }
        for (const change of event.contentChanges) {
          for (const cell of change.removedCells) {
            void this.captures.succeeded(sourceOf(cell));
          }
        }
      }),
    ];
  }

  private async ran(cell: vscode.NotebookCell): Promise<void> {
    const summary = cell.executionSummary;
    if (!this.isWanted() || summary?.success === undefined) {
      return;
    }
    const end = summary.timing?.endTime;
    if (end !== undefined && this.ended.get(cell) === end) {
      return;
    }
    if (end !== undefined) {
      this.ended.set(cell, end);
    }
    const text = textOf(cell);
    if (summary.success) {
      await this.captures.succeeded(sourceOf(cell));
    } else if (text !== undefined) {
      await this.captures.failed(sourceOf(cell), text);
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

/** A cell keeps its document's URI as long as the notebook is open. */
export function sourceOf(cell: vscode.NotebookCell): string {
  return `notebook: ${path.posix.basename(cell.notebook.uri.path)}#${cell.document.uri.fragment}`;
}

/** What a cell printed and its error, undefined where it has none. */
export function textOf(cell: vscode.NotebookCell): string | undefined {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let found = false;
  for (const output of cell.outputs) {
    for (const item of output.items) {
      if (STREAMS.includes(item.mime)) {
        parts.push(decoder.decode(item.data));
      } else if (item.mime === ERROR) {
        found = true;
        parts.push(errorText(decoder.decode(item.data)));
      }
    }
  }
  return found ? `${parts.join("\n")}\n` : undefined;
}

function errorText(raw: string): string {
  try {
    const error = JSON.parse(raw) as CellError;
    const last = `${error.name ?? "Exception"}: ${error.message ?? ""}`;
    const stack = withoutLinks(error.stack ?? "");
    return stack.includes(error.name ?? "") && stack !== "" ? stack : `${stack}\n${last}`;
  } catch {
    return raw;
  }
}
