/** Colours on lines by suspiciousness: one hue in four steps, told apart by lightness and by a border's width. */

import * as vscode from "vscode";
import type { Asking, HeatLine, Place } from "../protocol";
import type { Failures, Shown } from "./failures";
import { categoryName, isSameUri, percent, shareWords } from "./words";

/** From which score on a step begins; the steps lie closer where most scores do. */
export const STEPS = [0, 0.15, 0.4, 0.7];
/** Blue, which all common kinds of colour blindness keep apart from the text's greys. */
const LIGHT = "0, 90, 181";
const DARK = "86, 180, 255";
const ALPHAS = [0.07, 0.14, 0.22, 0.32];

export function step(score: number): number {
  return STEPS.reduce((found, from, index) => (score >= from ? index : found), 0);
}

export interface Heat {
  score: number;
  /** What stands behind the line. */
  words: string;
}

/** The heat of a document's lines: of its places, and of what failing tests ran; the hotter of both. */
export function heatOf(places: readonly { shown: Shown; place: Place }[], tested: readonly HeatLine[]): Map<number, Heat> {
  const found = new Map<number, Heat>();
  const add = (line: number, heat: Heat): void => {
    if ((found.get(line)?.score ?? -1) < heat.score) {
      found.set(line, heat);
    }
  };
  for (const { shown, place } of places) {
    const words = `${shareWords(place, shown.failure.doubt)} · ${categoryName(shown.failure.category)}`;
    for (let line = place.range.start.line; line <= place.range.end.line; line++) {
      add(line, { score: place.score, words: line === place.range.start.line ? words : "" });
    }
  }
  for (const { line, score, failing, passing } of tested) {
    add(line, { score, words: `${percent(score)} · tests that run it: ${failing} fail, ${passing} pass` });
  }
  return found;
}

export class HeatMap implements vscode.Disposable {
  private readonly types = ALPHAS.map((alpha, index) => decoration(alpha, index));
  private readonly disposables: vscode.Disposable[];
  private painted = 0;

  constructor(
    private readonly server: Asking,
    private readonly failures: Failures,
  ) {
    this.disposables = [
      failures.onDidChange(() => void this.paint()),
      vscode.window.onDidChangeVisibleTextEditors(() => void this.paint()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("dlBug.heatMap") && void this.paint()),
    ];
  }

  private async paint(): Promise<void> {
    const round = ++this.painted;
    for (const editor of vscode.window.visibleTextEditors) {
      const uri = editor.document.uri;
      const isOn = vscode.workspace.getConfiguration("dlBug", uri).get<boolean>("heatMap", false);
      const tested = isOn ? await this.tested(uri) : [];
      if (round !== this.painted) {
        return;
      }
      const places = isOn ? this.failures.places().filter(({ place }) => isSameUri(place.uri, uri)) : [];
      const heat = [...heatOf(places, tested)];
      this.types.forEach((type, index) => editor.setDecorations(type, heat.filter(([, { score }]) => step(score) === index).map(decorated)));
    }
  }

  /** What failing tests ran of a document; nothing where none was recorded. */
  private async tested(uri: vscode.Uri): Promise<HeatLine[]> {
    if (uri.scheme !== "file" || !this.server.isRunning) {
      return [];
    }
    return (await this.server.execute<HeatLine[] | null>("dlBug.heatmap", { uri: uri.toString() }).catch(() => null)) ?? [];
  }

  async toggle(): Promise<void> {
    const configuration = vscode.workspace.getConfiguration("dlBug");
    const isOn = configuration.get<boolean>("heatMap", false);
    await configuration.update("heatMap", !isOn, vscode.ConfigurationTarget.Global);
  }

  dispose(): void {
    vscode.Disposable.from(...this.types, ...this.disposables).dispose();
  }
}

function decoration(alpha: number, index: number): vscode.TextEditorDecorationType {
  const colours = (rgb: string): vscode.ThemableDecorationRenderOptions => ({
    backgroundColor: `rgba(${rgb}, ${alpha})`,
    borderColor: `rgb(${rgb})`,
    overviewRulerColor: `rgba(${rgb}, ${0.4 + 0.2 * index})`,
    after: { color: new vscode.ThemeColor("editorCodeLens.foreground"), margin: "0 0 0 2em" },
  });
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderStyle: "solid",
    borderWidth: `0 0 0 ${index + 1}px`,
    overviewRulerLane: vscode.OverviewRulerLane.Right,
    light: colours(LIGHT),
    dark: colours(DARK),
  });
}

function decorated([line, { words }]: [number, Heat]): vscode.DecorationOptions {
  const range = new vscode.Range(line, 0, line, 0);
  return words === "" ? { range } : { range, renderOptions: { after: { contentText: words } } };
}
