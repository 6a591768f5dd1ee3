/** The report as a Markdown page: the server's words, the code around each place, the category's page. */

import * as vscode from "vscode";
import type { Asking, Place } from "../protocol";
import type { Failures } from "./failures";
import { bar, numberOf, shareWords } from "./words";

export const SCHEME = "dl-bug-report";
const AROUND = 3;
const MOST_PLACES = 5;
const LONGEST_LINE = 200;

export class ReportDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly disposables: vscode.Disposable[];
  private readonly open = new Map<string, vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly failures: Failures,
    private readonly server: Asking,
  ) {
    this.disposables = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      failures.onDidChange(() => this.open.forEach((uri) => this.changed.fire(uri))),
    ];
  }

  async show(report: string, failure?: string): Promise<void> {
    const query = new URLSearchParams(failure === undefined ? { report } : { report, failure });
    const uri = vscode.Uri.from({ scheme: SCHEME, path: "/DL Bug Report.md", query: query.toString() });
    this.open.set(uri.toString(), uri);
    this.changed.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreview", uri);
  }

  provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const query = new URLSearchParams(uri.query);
    return this.page(query.get("report") ?? "", query.get("failure") ?? undefined);
  }

  /** The page of a report, or of one of its failures. */
  async page(report: string, failure?: string): Promise<string> {
    const argument = { report, format: "markdown", ...(failure === undefined ? {} : { failure }) };
    const page = await this.server.execute<string | null>("dlBug.report", argument).catch(() => null);
    if (page === null) {
      return "# No longer shown\n\nThis failure was fixed, dismissed, or another one took its place.\n";
    }
    const shown = this.failures.shown().filter((one) => one.listed.report === report && (failure === undefined || one.failure.failure === failure));
    const places = shown.flatMap(({ failure: { places, doubt } }) => places.map((place) => ({ place, doubt })));
    return page + (await codeSection(places)) + (await categorySection(places.map(({ place }) => place)));
  }

  dispose(): void {
    vscode.Disposable.from(this.changed, ...this.disposables).dispose();
  }
}

async function codeSection(places: readonly { place: Place; doubt: string | undefined }[]): Promise<string> {
  const out: string[] = [];
  for (const { place, doubt } of places.slice(0, MOST_PLACES)) {
    const uri = vscode.Uri.parse(place.uri);
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      const lines = document.getText().split(/\r?\n/);
      const name = vscode.workspace.asRelativePath(uri);
      const line = place.range.start.line;
      out.push(`### ${numberOf(place)}. ${markdownText(name)}, line ${line + 1}`, "", `\`${bar(place.score)}\` ${shareWords(place, doubt)}`, "");
      out.push(...excerpt(lines, line, place.range.end.line, document.languageId), "");
    } catch {
      // The file is gone; the list above still names it.
    }
  }
  return out.length > 0 ? `\n## The code\n\n${out.join("\n")}\n` : "";
}

/** Lines around the suspicious ones, each with its number; the suspicious ones have a mark. */
export function excerpt(lines: readonly string[], first: number, last: number, language: string): string[] {
  const from = Math.max(0, first - AROUND);
  const to = Math.min(lines.length - 1, last + AROUND);
  const width = String(to + 1).length;
  const shown = lines.slice(from, to + 1).map((text, index) => {
    const line = from + index;
    return `${line >= first && line <= last ? ">" : " "} ${String(line + 1).padStart(width)}  ${text.slice(0, LONGEST_LINE)}`.trimEnd();
  });
  const longest = Math.max(2, ...shown.flatMap((line) => [...line.matchAll(/`+/g)].map((run) => run[0].length)));
  const fence = "`".repeat(longest + 1);
  return [`${fence}${/^[\w-]+$/.test(language) ? language : ""}`, ...shown, fence];
}

/** The page about the category, to which the diagnostics' code leads. */
async function categorySection(places: readonly Place[]): Promise<string> {
  const first = places[0];
  if (first === undefined) {
    return "";
  }
  const diagnostics = vscode.languages.getDiagnostics(vscode.Uri.parse(first.uri));
  for (const { source, code } of diagnostics) {
    if (source === "dl-bug" && typeof code === "object" && code.target.scheme === "file") {
      try {
        const page = new TextDecoder().decode(await vscode.workspace.fs.readFile(code.target));
        return `\n---\n\n${page.replace(/^# /gm, "## About: ").replace(/^(#{2,5}) (?!About: )/gm, "#$1 ")}\n`;
      } catch {
        return "";
      }
    }
  }
  return "";
}

function markdownText(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~&$!{}]/g, "\\$&");
}
