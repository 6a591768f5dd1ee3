/** Going to suspicious places, showing their report, putting them aside. */

import * as vscode from "vscode";
import type { Listed, Place, PlaceArgument, Range, Report, Waiting } from "../protocol";
import type { Failures } from "../views/failures";
import type { ReportDocuments } from "../views/report";
import { categoryName, isSameUri, numberOf, shareWords } from "../views/words";
import { choices } from "./choices";
import { isSame, type Named, nameOf, named } from "./naming";
import { reveal, revealText } from "./reveal";

const placesWords = (count: number): string => (count === 1 ? "1 suspicious place" : `${count} suspicious places`);

export class Places implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[];
  private visited: Named | undefined;
  private newest: string | undefined;

  constructor(
    private readonly server: Waiting,
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
    this.disposables.push(failures.onDidChange((listed) => this.take(listed)));
  }

  /** Tell what a text that was localized by hand holds: the first place, or one sentence. */
  async found(report: Report | null): Promise<void> {
    const primary = report?.failures.find((one) => one.primary) ?? report?.failures[0];
    if (report === null || primary === undefined) {
      void vscode.window.showInformationMessage("DL Bug: the text reports no failure.");
      return;
    }
    await this.failures.refresh();
    const shown = this.failures.shown().find((one) => one.failure.failure === primary.id);
    const first = shown?.failure.places.find((place) => place.suspect === 1) ?? shown?.failure.places[0];
    if (first === undefined) {
      const words = `${categoryName(primary.category.id)}: no suspicious line was found.`;
      const choice = await vscode.window.showInformationMessage(words, "Show Report");
      if (choice !== undefined && shown !== undefined) {
        await this.reports.show(shown.listed.report, shown.failure.failure);
      }
      return;
    }
    this.visited = nameOf(shown!, first);
    await reveal(first);
    vscode.window.setStatusBarMessage(`DL Bug: ${categoryName(primary.category.id)}, ${placesWords(shown!.failure.places.length)}`, 10_000);
  }

  private async go(command: string): Promise<void> {
    const next = await this.server.execute<(Place & Named & { shown: boolean }) | null>(command, this.current());
    if (next === null) {
      vscode.window.setStatusBarMessage("DL Bug: no suspicious places", 5000);
      return;
    }
    this.visited = { report: next.report, failure: next.failure, suspect: next.suspect };
    if (!next.shown) {
      await reveal(next);
    }
    const failure = this.failures.shown().find(({ listed, failure }) => listed.report === next.report && failure.failure === next.failure)?.failure;
    const of = failure === undefined ? "" : ` of ${Math.max(...failure.places.map(numberOf))}`;
    vscode.window.setStatusBarMessage(`DL Bug: place ${numberOf(failure?.places.find((one) => one.suspect === next.suspect) ?? next)}${of} (${shareWords(next, failure?.doubt)})`, 5000);
  }

  /** From where next and previous count: the place at the cursor, else the one visited last, else the newest report's ends. */
  private current(): PlaceArgument {
    const editor = vscode.window.activeTextEditor;
    const line = editor?.selection.active.line ?? -1;
    const isAtCursor = ({ uri, range }: Place): boolean =>
      editor !== undefined && range.start.line <= line && line <= range.end.line && isSameUri(uri, editor.document.uri);
    const places = this.failures.places();
    const atCursor = places.filter(({ place }) => isAtCursor(place)).map(({ shown, place }) => nameOf(shown, place));
    const all = places.map(({ shown, place }) => nameOf(shown, place));
    const isVisited = (one: Named): boolean => isSame(this.visited, one);
    return atCursor.find(isVisited) ?? atCursor[0] ?? all.find(isVisited) ?? (this.newest === undefined ? {} : { report: this.newest });
  }

  /** Another report on top: next begins at its first place. */
  private take(listed: readonly Listed[]): void {
    const newest = listed[0]?.report;
    if (newest !== this.newest) {
      this.newest = newest;
      this.visited = undefined;
    }
  }

  private find(argument: PlaceArgument): Place | undefined {
    return this.failures.places().find(({ shown, place }) => isSame(argument, nameOf(shown, place)))?.place;
  }

  private async goTo(argument: PlaceArgument): Promise<void> {
    const place = this.find(argument);
    if (place !== undefined) {
      const { report, failure, suspect } = argument as Named;
      this.visited = { report, failure, suspect };
      await reveal(place);
    }
  }

  /** What a lens does: offer the evidence, the other places, the report and the log. */
  private async showSuspect(argument: PlaceArgument): Promise<void> {
    const report = await this.failures.report(argument.report ?? "");
    const failure = report?.failures.find((one) => one.id === argument.failure);
    if (failure === undefined) {
      vscode.window.setStatusBarMessage("DL Bug: no longer suspicious", 5000);
      return;
    }
    const number = (rank: number): number | undefined => {
      const found = this.find({ ...argument, suspect: rank });
      return found === undefined ? undefined : numberOf(found);
    };
    const { items, title, placeHolder } = choices(failure, argument.suspect, number);
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
    if (chosen?.choice === undefined) {
      return;
    }
    switch (chosen.choice) {
      case "report":
        return this.showReport(argument);
      case "log":
        return this.openLog(argument);
      case "dismiss":
        return this.dismiss(argument);
      default:
        return this.goTo({ ...argument, suspect: chosen.choice });
    }
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
    const report = argument.report ?? this.failures.listed[0]?.report;
    const answer = await this.server.execute<{ uri: string; range: Range } | { uri: null } | null>("dlBug.openLog", { report, failure: argument.failure, show: false });
    if (answer === null || report === undefined) {
      vscode.window.setStatusBarMessage("DL Bug: no failures", 5000);
    } else if (answer.uri !== null) {
      await revealText(vscode.Uri.parse(answer.uri), answer.range);
    } else {
      await this.reports.show(report);
      vscode.window.setStatusBarMessage("DL Bug: the text of this failure is not kept; this is its report", 10_000);
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
