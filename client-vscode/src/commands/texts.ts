/** Localizing by hand: what the clipboard holds, what is selected, a log file, a document to paste into. */

import * as vscode from "vscode";
import { looksLikeFailure } from "../capture/text";
import type { Report, Waiting } from "../protocol";

/** Milliseconds after the last change of the document to paste into. */
const WAIT = 300;
/** Characters that nobody types at once. */
const PASTED = 200;

export class Texts implements vscode.Disposable {
  private input: vscode.TextDocument | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly server: Waiting,
    private readonly found: (report: Report | null) => Promise<void>,
  ) {
    const { registerCommand } = vscode.commands;
    this.disposables = [
      registerCommand("dlBug.localizePasted", () => this.pasted()),
      registerCommand("dlBug.localizeSelection", () => this.selection()),
      registerCommand("dlBug.localizeLogFile", (uri?: unknown) => this.logFile(uri instanceof vscode.Uri ? uri : undefined)),
      registerCommand("dlBug.localizeInput", () => this.fromInput()),
      vscode.workspace.onDidChangeTextDocument((event) => this.changed(event)),
      vscode.workspace.onDidCloseTextDocument((document) => this.closed(document)),
      vscode.window.onDidChangeActiveTextEditor(() => this.setContext()),
    ];
  }

  private async pasted(): Promise<void> {
    const text = await vscode.env.clipboard.readText();
    if (looksLikeFailure(text)) {
      await this.localize(text, "clipboard");
    } else if (this.isInput(vscode.window.activeTextEditor?.document)) {
      await this.fromInput();
    } else {
      await this.openInput();
    }
  }

  private async selection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const text = editor === undefined ? "" : editor.selections.map((one) => editor.document.getText(one)).join("\n");
    if (text.trim() === "") {
      void vscode.window.showInformationMessage("Select the output of a failed run first.");
      return;
    }
    await this.localize(text, "selection");
  }

  private async logFile(uri: vscode.Uri | undefined): Promise<void> {
    const file = uri ?? vscode.window.activeTextEditor?.document.uri ?? (await chosenFile());
    if (file === undefined) {
      return;
    }
    if (file.scheme !== "file") {
      const document = await vscode.workspace.openTextDocument(file);
      await this.localize(document.getText(), "document");
      return;
    }
    await this.ask("dlBug.localizeFile", { uri: file.toString() });
  }

  private async openInput(): Promise<void> {
    if (this.input === undefined || this.input.isClosed) {
      this.input = await vscode.workspace.openTextDocument({ language: "log", content: "" });
    }
    await vscode.window.showTextDocument(this.input, { preview: false });
    this.setContext();
    vscode.window.setStatusBarMessage("DL Bug: paste the output of the run here", 10_000);
  }

  private async fromInput(): Promise<void> {
    clearTimeout(this.timer);
    const text = this.input?.getText() ?? "";
    if (text.trim() === "") {
      void vscode.window.showInformationMessage("Paste the output of the run first.");
      return;
    }
    await this.localize(text, "paste");
  }

  private changed(event: vscode.TextDocumentChangeEvent): void {
    const { document } = event;
    if (!this.isInput(document)) {
      return;
    }
    clearTimeout(this.timer);
    // A silent run's metrics look like no failure: what comes in one piece was pasted.
    const isPasted = event.contentChanges.some((change) => change.text.length > PASTED);
    this.timer = setTimeout(() => {
      if (isPasted || looksLikeFailure(document.getText())) {
        void this.fromInput();
      }
    }, WAIT);
  }

  private closed(document: vscode.TextDocument): void {
    if (this.isInput(document)) {
      clearTimeout(this.timer);
      this.input = undefined;
      this.setContext();
    }
  }

  private isInput(document: vscode.TextDocument | undefined): boolean {
    return document !== undefined && document === this.input;
  }

  private setContext(): void {
    void vscode.commands.executeCommand("setContext", "dlBug.isInput", this.isInput(vscode.window.activeTextEditor?.document));
  }

  private localize(text: string, source: string): Promise<void> {
    return this.ask("dlBug.localize", { text, source });
  }

  private async ask(command: string, argument: object): Promise<void> {
    if (!(await this.server.ready())) {
      return;
    }
    try {
      const report = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "DL Bug: localizing" }, () =>
        this.server.execute<Report | null>(command, argument),
      );
      await this.found(report);
    } catch (error) {
      const { code, message } = error as { code?: number; message: string };
      if (code !== -32800) {
        void vscode.window.showErrorMessage(`DL Bug: ${message}`);
      }
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

async function chosenFile(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({ title: "Log file", filters: { Logs: ["log", "txt", "out", "err"], "All files": ["*"] } });
  return chosen?.[0];
}
