/** The view "DL Failures": failures, their ranked places, the evidence for each. */

import * as path from "node:path";
import * as vscode from "vscode";
import type { Evidence, Place } from "../protocol";
import type { Failures, Shown } from "./failures";
import { brief, categoryName, numberOf, parts, plain, shareWords } from "./words";

/** Characters of a row's parts; longer ones are cut, so that what follows them is seen. */
const LONGEST_MESSAGE = 80;
const LONGEST_CODE = 24;
const LONGEST_EVIDENCE = 64;

export type Node =
  | { kind: "failure"; shown: Shown }
  | { kind: "place"; shown: Shown; place: Place }
  | { kind: "evidence"; evidence: Evidence; place: Place };

export class FailuresTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<Node>;
  private readonly subscription: vscode.Disposable;
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly failures: Failures) {
    this.view = vscode.window.createTreeView("dlBug.failures", { treeDataProvider: this, showCollapseAll: true });
    this.subscription = failures.onDidChange(() => this.update());
  }

  private update(): void {
    this.changed.fire();
    const count = this.failures.shown().length;
    this.view.badge = count > 0 ? { value: count, tooltip: count === 1 ? "1 failure" : `${count} failures` } : undefined;
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) {
      return this.failures.shown().map((shown) => ({ kind: "failure", shown }));
    }
    if (node.kind === "failure") {
      return node.shown.failure.places.map((place) => ({ kind: "place", shown: node.shown, place }));
    }
    if (node.kind === "place") {
      const report = await this.failures.report(node.shown.listed.report);
      const failure = report?.failures.find((one) => one.id === node.shown.failure.failure);
      const suspect = failure?.suspects.find((one) => one.rank === node.place.suspect);
      const evidence = [...(suspect?.evidence ?? [])].sort((a, b) => b.score - a.score);
      return evidence.map((one) => ({ kind: "evidence", evidence: one, place: node.place }));
    }
    return [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.kind === "failure") {
      return this.failureItem(node.shown);
    }
    return node.kind === "place" ? placeItem(node.shown, node.place) : evidenceItem(node.evidence);
  }

  private failureItem(shown: Shown): vscode.TreeItem {
    const { listed, failure } = shown;
    const newest = this.failures.listed[0]?.report === listed.report && failure.primary;
    const state = newest ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
    const hasPlaces = failure.places.length > 0;
    const { name, rest } = parts(failure.message);
    const item = new vscode.TreeItem(name || categoryName(failure.category), hasPlaces ? state : vscode.TreeItemCollapsibleState.None);
    item.id = `${listed.report}/${failure.failure}`;
    const source = sourceWords(listed.source, listed.log);
    item.description = rest === "" ? source : `${brief(rest, LONGEST_MESSAGE)} · ${source}`;
    item.tooltip = `${failure.message}\n${categoryName(failure.category)} · ${source}${failure.reliable ? "" : "\nThe stack may blame the wrong line."}`;
    item.iconPath = new vscode.ThemeIcon(failure.primary ? "error" : "warning", new vscode.ThemeColor(failure.primary ? "list.errorForeground" : "list.warningForeground"));
    item.contextValue = `failure${listed.log === null ? "" : " log"}`;
    return item;
  }

  dispose(): void {
    vscode.Disposable.from(this.view, this.changed, this.subscription).dispose();
  }
}

/** What a row shows is short: the place, then its code. All of it stands in the tooltip. */
function placeItem(shown: Shown, place: Place): vscode.TreeItem {
  const uri = vscode.Uri.parse(place.uri);
  const line = place.range.start.line + 1;
  const where = `${nameAmong(uri, shown.failure.places)}${cellWords(uri)}:${line}`;
  const item = new vscode.TreeItem(`${numberOf(place)}. ${where}`, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${shown.listed.report}/${shown.failure.failure}/${place.suspect}`;
  const share = shareWords(place, shown.failure.doubt);
  item.description = [brief(place.text ?? "", LONGEST_CODE), share].filter(Boolean).join(" · ");
  const told = [`${relative(uri)}${cellWords(uri)}:${line}`, place.text, `Suspicious place ${numberOf(place)} (${share})`, plain(place.reason ?? "")];
  item.tooltip = told.filter(Boolean).join("\n");
  item.iconPath = new vscode.ThemeIcon("target");
  item.contextValue = "place";
  const argument = { report: shown.listed.report, failure: shown.failure.failure, suspect: place.suspect };
  item.command = { command: "dlBug.goToPlace", title: "Go to Place", arguments: [argument] };
  return item;
}

function relative(uri: vscode.Uri): string {
  const file = uri.scheme === "file" ? uri : vscode.Uri.file(uri.path);
  return vscode.workspace.asRelativePath(file, (vscode.workspace.workspaceFolders?.length ?? 0) > 1);
}

/** A file's name; with its folder where places in another file of that name stand beside it. */
function nameAmong(uri: vscode.Uri, places: readonly Place[]): string {
  const name = path.posix.basename(uri.path);
  const others = places.map((place) => vscode.Uri.parse(place.uri).path).filter((other) => other !== uri.path);
  const isAmbiguous = others.some((other) => path.posix.basename(other) === name);
  return isAmbiguous ? `${path.posix.basename(path.posix.dirname(uri.path))}/${name}` : name;
}

/** Which cell of its notebook a URI names, counted from 1 as the eye counts; nothing for files. */
function cellWords(uri: vscode.Uri): string {
  if (uri.scheme !== "vscode-notebook-cell") {
    return "";
  }
  const cells = vscode.workspace.notebookDocuments.flatMap((notebook) => notebook.getCells());
  const cell = cells.find((one) => one.document.uri.toString() === uri.toString());
  return cell === undefined ? "" : ` cell ${cell.index + 1}`;
}

function evidenceItem(evidence: Evidence): vscode.TreeItem {
  const why = plain(evidence.why);
  // What is found stands before a semicolon, how it is known in brackets at the end.
  const [found = "", ...more] = why.replace(/ \([^()]*\)$/, "").split("; ");
  const item = new vscode.TreeItem(brief(found, LONGEST_EVIDENCE));
  item.description = more.join("; ");
  item.tooltip = why;
  item.iconPath = new vscode.ThemeIcon("info");
  item.contextValue = "evidence";
  return item;
}

/** A source as people say it; what the server and the client call it is `kind: name`. */
export function sourceWords(source: string, log: string | null): string {
  if (source.startsWith("run:")) {
    return source.slice("run:".length);
  }
  if (log !== null) {
    return path.posix.basename(vscode.Uri.parse(log).path);
  }
  return source.replace(/^notebook: ([^#]*)#.*$/, "notebook: $1").replace(/^training:(?! )/, "training: ");
}
