/** Going to suspicious places, showing their report, putting them aside. */

import * as vscode from "vscode";
import type { Place, PlaceArgument, Report } from "../protocol";
import type { Failures } from "../views/failures";
import type { ReportDocuments } from "../views/report";
import type { Node } from "../views/tree";
import { categoryName, percent } from "../views/words";

export interface Asking {
  execute<T>(command: string, argument?: object): Promise<T>;
  ready(): Promise<boolean>;
}

export class Places implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly server: Asking,
    private readonly failures: Failures,
    private readonly reports: ReportDocuments,
  ) {
    const commands: Record<string, (argument?: unknown) => unknown> = {
      "dlBug.nextSuspect": () => this.go("dlBug.next"),
      "dlBug.previousSuspect": () => this.go("dlBug.previous"),
      "dlBug.goToPlace": (argument) => this.goTo(named(argument)),
      "dlBug.showSuspect": (argument) => this.showSuspect(named(argument)),
      "dlBug.showReport": (argument) => this.showReport(named(argument)),
      "dlBug.openLogAtFailure": (argument) => this.openLog(named(argument)),
      "dlBug.dismissPlace": (argument) => this.dismiss(named(argument)),
      "dlBug.dismissFailure": (argument) => this.dismiss(named(argument)),
      "dlBug.clearFailures": () => this.clear(),
    };
    this.disposables = Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(name, async (argument?: unknown) => {
        if (await this.server.ready()) {
          await run(argument);
        }
      }),
    );
  }

  /** Tell what a text that was localized by hand holds: the first place, or one sentence. */
  async found(report: Report | null): Promise<void> {
    const primary = report?.failures.find((one) => one.primary) ?? report?.failures[0];
    if (report === null || primary === undefined) {
      void vscode.window.showInformationMessage("DL Bug: the text tells of no failure.");
      return;
    }
    await this.failures.refresh();
    const shown = this.failures.shown().find((one) => one.failure.failure === primary.id);
    const first = shown?.failure.places.find((place) => place.suspect === 1) ?? shown?.failure.places[0];
    if (first === undefined) {
      const words = `${categoryName(primary.category.id)}: no line of the open folders is suspicious.`;
      const choice = await vscode.window.showInformationMessage(words, "Show Report");
      if (choice !== undefined && shown !== undefined) {
        await this.reports.show(shown.listed.report, shown.failure.failure);
      }
      return;
    }
    await reveal(first);
    vscode.window.setStatusBarMessage(`DL Bug: ${categoryName(primary.category.id)}, ${primary.suspects.length} suspicious places`, 10_000);
  }

  private async go(command: string): Promise<void> {
    const place = await this.server.execute<(Place & { shown: boolean }) | null>(command);
    if (place === null) {
      vscode.window.setStatusBarMessage("DL Bug: no suspicious places", 5000);
      return;
    }
    if (!place.shown) {
      await reveal(place);
    }
    const total = this.failures.shown().find((one) => one.failure.places.some((other) => other.uri === place.uri && other.suspect === place.suspect));
    const of = total === undefined ? "" : ` of ${total.failure.places.length}`;
    vscode.window.setStatusBarMessage(`DL Bug: place ${place.suspect}${of} (${percent(place.score)})`, 5000);
  }

  private find(argument: PlaceArgument): Place | undefined {
    return this.failures
      .places()
      .find(
        ({ shown, place }) =>
          shown.listed.report === argument.report && shown.failure.failure === argument.failure && place.suspect === argument.suspect,
      )?.place;
  }

  private async goTo(argument: PlaceArgument): Promise<void> {
    const place = this.find(argument);
    if (place !== undefined) {
      await reveal(place);
    }
  }

  /** What a lens does: offer the evidence, the other places, the report and the log. */
  private async showSuspect(argument: PlaceArgument): Promise<void> {
    const report = await this.failures.report(argument.report ?? "");
    const failure = report?.failures.find((one) => one.id === argument.failure);
    if (!report || !failure) {
      vscode.window.setStatusBarMessage("DL Bug: no longer suspicious", 5000);
      return;
    }
    interface Item extends vscode.QuickPickItem {
      run?: () => unknown;
    }
    const suspect = failure.suspects.find((one) => one.rank === argument.suspect);
    const items: Item[] = [
      ...(suspect?.evidence ?? []).map((one) => ({
        label: `$(info) ${one.why.replaceAll("`", "")}`,
        description: `${one.kind.replaceAll("_", " ")}, ${percent(one.score)}`,
        run: () => this.goTo(argument),
      })),
      { label: "Other places", kind: vscode.QuickPickItemKind.Separator },
      ...failure.suspects
        .filter((one) => one !== suspect && this.find({ ...argument, suspect: one.rank }))
        .map((one) => ({
          label: `$(target) ${one.rank}. ${one.file}:${one.line}`,
          description: percent(one.score),
          run: () => this.goTo({ ...argument, suspect: one.rank }),
        })),
      { label: "More", kind: vscode.QuickPickItemKind.Separator },
      { label: "$(book) Show Report", run: () => this.showReport(argument) },
      { label: "$(output) Open Log at Failure", run: () => this.openLog(argument) },
      { label: "$(close) Dismiss This Place", run: () => this.dismiss(argument) },
    ];
    const title = `${categoryName(failure.category.id)}: suspicious place ${argument.suspect} of ${failure.suspects.length}`;
    const placeHolder = failure.exception ? `${failure.exception.type}: ${failure.exception.message}`.slice(0, 200) : title;
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
    await chosen?.run?.();
  }

  private async showReport(argument: PlaceArgument): Promise<void> {
    const report = argument.report ?? this.failures.listed[0]?.report;
    if (report === undefined) {
      vscode.window.setStatusBarMessage("DL Bug: no failures", 5000);
      return;
    }
    await this.reports.show(report, argument.failure);
  }

  private async openLog(argument: PlaceArgument): Promise<void> {
    const { report, failure } = argument;
    const answer = await this.server.execute<{ uri: string | null; shown: boolean } | null>("dlBug.openLog", { report, failure });
    if (answer?.uri === null && report !== undefined && !answer.shown) {
      await this.reports.show(report);
    }
  }

  private async dismiss(argument: PlaceArgument): Promise<void> {
    const { report, failure, suspect } = argument;
    if (report !== undefined) {
      await this.server.execute("dlBug.dismiss", { report, failure, suspect });
    }
  }

  private async clear(): Promise<void> {
    await this.server.execute("dlBug.clear");
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

/** A place as the server names it, from a node of the tree, a lens' argument, or nothing. */
export function named(argument: unknown): PlaceArgument {
  const node = argument as Partial<Node> | undefined;
  if (node?.kind === "failure" && node.shown) {
    return { report: node.shown.listed.report, failure: node.shown.failure.failure };
  }
  if (node?.kind === "place" && node.shown && node.place) {
    return { report: node.shown.listed.report, failure: node.shown.failure.failure, suspect: node.place.suspect };
  }
  return typeof argument === "object" && argument !== null ? (argument as PlaceArgument) : {};
}

export async function reveal(place: Place): Promise<void> {
  const { start, end } = place.range;
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  const uri = vscode.Uri.parse(place.uri);
  if (uri.scheme === "vscode-notebook-cell") {
    await revealCell(uri);
    return;
  }
  const editor = await vscode.window.showTextDocument(uri, { selection: new vscode.Range(selection.start, selection.start) });
  editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function revealCell(uri: vscode.Uri): Promise<void> {
  const same = (one: vscode.NotebookCell): boolean => one.document.uri.toString() === uri.toString();
  const notebook = vscode.workspace.notebookDocuments.find((one) => one.getCells().some(same));
  const cell = notebook?.getCells().find(same);
  if (notebook !== undefined && cell !== undefined) {
    const range = new vscode.NotebookRange(cell.index, cell.index + 1);
    const editor = await vscode.window.showNotebookDocument(notebook, { selections: [range] });
    editor.revealRange(range, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
  }
}
