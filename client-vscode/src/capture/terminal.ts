/** Commands of the integrated terminal, by its shell integration; tasks run there as well. */

import * as path from "node:path";
import * as vscode from "vscode";
import { selectedInterpreter } from "../server/environments";
import type { Captures } from "./captures";
import { label, Tail } from "./text";

/** The parts of the API of VS Code 1.93 that are used, where it has them. */
interface Execution {
  readonly commandLine?: { readonly value: string };
  readonly cwd?: vscode.Uri;
  read(): AsyncIterable<string>;
}
interface ExecutionEvent {
  readonly terminal: vscode.Terminal;
  readonly execution: Execution;
  readonly exitCode?: number | undefined;
}
interface Window {
  onDidStartTerminalShellExecution?: vscode.Event<ExecutionEvent>;
  onDidEndTerminalShellExecution?: vscode.Event<ExecutionEvent>;
}

/** Exit codes of a user's own stop: SIGINT as a shell tells it, and Windows' STATUS_CONTROL_C_EXIT. */
const STOPPED = new Set([130, -1073741510, 3221225786]);
/** Milliseconds that the rest of a command's output may take after its end was told. */
const REST = 1000;

export interface Wanted {
  terminal(): boolean;
  tasks(): boolean;
}

export class TerminalCapture implements vscode.Disposable {
  private readonly running = new Map<Execution, { tail: Tail; done: Promise<void> }>();
  private readonly disposables: vscode.Disposable[] = [];

  constructor(
    private readonly captures: Captures,
    private readonly wanted: Wanted,
  ) {
    const window = vscode.window as unknown as Window;
    if (window.onDidStartTerminalShellExecution && window.onDidEndTerminalShellExecution) {
      this.disposables.push(
        window.onDidStartTerminalShellExecution((event) => this.started(event)),
        window.onDidEndTerminalShellExecution((event) => void this.ended(event)),
      );
    }
  }

  private started(event: ExecutionEvent): void {
    if (!(isOfTask(event.terminal) ? this.wanted.tasks() : this.wanted.terminal())) {
      return;
    }
    const command = event.execution.commandLine?.value ?? "";
    const cwd = event.execution.cwd;
    const folder = (vscode.workspace.workspaceFolders ?? []).find((one) => one.uri.fsPath === cwd?.fsPath);
    if (folder !== undefined && runsProgram(command)) {
      void selectedInterpreter(folder.uri).then((python) => this.captures.starts(command, folder.uri.toString(), python));
    }
    const tail = new Tail();
    const read = async (): Promise<void> => {
      for await (const piece of event.execution.read()) {
        tail.add(piece);
      }
    };
    this.running.set(event.execution, { tail, done: read().catch(() => undefined) });
  }

  private async ended(event: ExecutionEvent): Promise<void> {
    const run = this.running.get(event.execution);
    this.running.delete(event.execution);
    const code = event.exitCode;
    if (run === undefined || code === undefined || STOPPED.has(code)) {
      return;
    }
    const source = sourceOf(event);
    if (code === 0) {
      await this.captures.succeeded(source);
      return;
    }
    await Promise.race([run.done, new Promise((resolve) => setTimeout(resolve, REST))]);
    await this.captures.failed(source, run.tail.text(), isOfTask(event.terminal) || runsProgram(event.execution.commandLine?.value ?? ""));
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

/** The command and, where it is no workspace folder itself, the folder in which it ran. */
export function sourceOf(event: ExecutionEvent): string {
  const command = label(event.execution.commandLine?.value ?? event.terminal.name);
  const cwd = event.execution.cwd;
  const folders = vscode.workspace.workspaceFolders ?? [];
  const isUsual = cwd === undefined || (folders.length === 1 && folders[0]!.uri.fsPath === cwd.fsPath);
  return `terminal: ${command}${isUsual ? "" : ` (${path.basename(cwd.fsPath)})`}`;
}

const PROGRAMS = new Set(
  "python py ipython pytest torchrun accelerate deepspeed horovodrun mpirun mpiexec srun sbatch ray uv poetry pipenv pdm hatch conda mamba make just dvc bash sh zsh".split(" "),
);
const WRAPPERS = new Set(["time", "nohup", "sudo", "env", "exec", "nice"]);

/** Whether a command line runs a program or a script rather than a tool such as `git` or `ls`; a guess. */
export function runsProgram(command: string): boolean {
  return command
    .slice(0, 2000)
    .split(/[;&|\n]+/)
    .some((part) => {
      const first = part.trim().split(/\s+/).find((word) => !/^\w+=/.test(word) && !WRAPPERS.has(word)) ?? "";
      const name = (first.split(/[\\/]/).pop() ?? "").replace(/\.exe$/, "").replace(/\d[\d.]*$/, "");
      return PROGRAMS.has(name) || /[\\/]/.test(first) || /\.(?:py|sh|bat|ps1)$/.test(first);
    });
}

function isOfTask(terminal: vscode.Terminal): boolean {
  return vscode.tasks.taskExecutions.some(({ task }) => terminal.name === task.name || terminal.name.endsWith(` - ${task.name}`));
}
