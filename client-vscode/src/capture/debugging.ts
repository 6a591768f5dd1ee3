/** Debug sessions of Python: an exception that stops one, and what a failed one printed. */

import * as vscode from "vscode";
import type { Captures } from "./captures";
import { label, Tail } from "./text";

const TYPES = ["debugpy", "python"];

/** The parts of the Debug Adapter Protocol's messages that are read. */
interface Message {
  type?: string;
  event?: string;
  body?: { reason?: string; threadId?: number; category?: string; output?: string; exitCode?: number };
}
interface ExceptionInfo {
  exceptionId?: string;
  description?: string;
  breakMode?: string;
  details?: { message?: string; typeName?: string; fullTypeName?: string };
}
export interface StackFrame {
  name: string;
  line: number;
  source?: { path?: string; name?: string };
}

export class DebugCapture implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[];

  constructor(captures: Captures, isWanted: () => boolean) {
    const createDebugAdapterTracker = (session: vscode.DebugSession): vscode.DebugAdapterTracker | undefined =>
      isWanted() ? new Tracker(session, captures) : undefined;
    this.disposables = TYPES.map((type) => vscode.debug.registerDebugAdapterTrackerFactory(type, { createDebugAdapterTracker }));
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

export class Tracker implements vscode.DebugAdapterTracker {
  private readonly output = new Tail();
  private readonly source: string;
  private hasFailed = false;

  constructor(
    private readonly session: vscode.DebugSession,
    private readonly captures: Captures,
  ) {
    this.source = `debug: ${label(session.configuration.name || session.name)}`;
  }

  onDidSendMessage(message: Message): void {
    if (message.type !== "event") {
      return;
    }
    const body = message.body ?? {};
    if (message.event === "output" && (body.category === "stderr" || body.category === "stdout")) {
      this.output.add(body.output ?? "");
    } else if (message.event === "stopped" && body.reason === "exception") {
      void this.stopped(body.threadId ?? 1);
    } else if (message.event === "exited") {
      void this.exited(body.exitCode ?? 0);
    }
  }

  private async stopped(threadId: number): Promise<void> {
    this.hasFailed = true;
    try {
      const info = (await this.session.customRequest("exceptionInfo", { threadId })) as ExceptionInfo;
      const stack = (await this.session.customRequest("stackTrace", { threadId, startFrame: 0, levels: 200 })) as { stackFrames?: StackFrame[] };
      await this.captures.failed(this.source, tracebackOf(info, stack.stackFrames ?? []));
    } catch {
      // The session went on or ended before it answered: its output tells the rest.
      this.hasFailed = false;
    }
  }

  private async exited(code: number): Promise<void> {
    if (code === 0) {
      await this.captures.succeeded(this.source);
    } else if (!this.hasFailed) {
      await this.captures.failed(this.source, this.output.text());
    }
  }
}

/** Write what the adapter knows as Python prints it: the outermost frame first. */
export function tracebackOf(info: ExceptionInfo, frames: readonly StackFrame[]): string {
  const lines = ["Traceback (most recent call last):"];
  for (const frame of [...frames].reverse()) {
    const file = pathOf(frame.source?.path) ?? frame.source?.name;
    if (file !== undefined && frame.line > 0) {
      lines.push(`  File "${file}", line ${frame.line}, in ${frame.name}`);
    }
  }
  const type = info.details?.typeName ?? info.exceptionId ?? "Exception";
  const message = info.details?.message ?? info.description ?? "";
  lines.push(message === "" ? type : `${type}: ${message}`);
  return `${lines.join("\n")}\n`;
}

/** The path of a source: in a remote window VS Code makes URIs of the paths that the adapter sends. */
function pathOf(source: string | undefined): string | undefined {
  return source !== undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(source) ? vscode.Uri.parse(source).fsPath : source;
}
