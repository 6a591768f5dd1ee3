/** Colours on lines by suspiciousness: one hue in four steps, told apart by lightness and by a border's width. */

import * as vscode from "vscode";
import type { Failures } from "./failures";
import { categoryName, percent } from "./words";

/** From which score on a step begins; the steps lie closer where most scores do. */
export const STEPS = [0, 0.15, 0.4, 0.7];
/** Blue, which all common kinds of colour blindness keep apart from the text's greys. */
const LIGHT = "0, 90, 181";
const DARK = "86, 180, 255";
const ALPHAS = [0.07, 0.14, 0.22, 0.32];

export function step(score: number): number {
  return STEPS.reduce((found, from, index) => (score >= from ? index : found), 0);
}

export class HeatMap implements vscode.Disposable {
  private readonly types = ALPHAS.map((alpha, index) => decoration(alpha, index));
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly failures: Failures) {
    this.disposables = [
      failures.onDidChange(() => this.paint()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.paint()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("dlBug.heatMap") && this.paint()),
    ];
  }

  paint(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const uri = editor.document.uri;
      const isOn = vscode.workspace.getConfiguration("dlBug", uri).get<boolean>("heatMap", false);
      const places = isOn ? this.failures.places().filter(({ place }) => place.uri === uri.toString() || vscode.Uri.parse(place.uri).toString() === uri.toString()) : [];
      const best = new Map<number, vscode.DecorationOptions & { score: number }>();
      for (const { shown, place } of places) {
        for (let line = place.range.start.line; line <= place.range.end.line; line++) {
          const range = new vscode.Range(line, 0, line, 0);
          const after = ` ${percent(place.score)} ${categoryName(shown.failure.category)}`;
          if ((best.get(line)?.score ?? -1) < place.score) {
            const renderOptions = { after: { contentText: line === place.range.start.line ? after : "" } };
            best.set(line, { range, score: place.score, renderOptions });
          }
        }
      }
      const found = [...best.values()];
      this.types.forEach((type, index) => editor.setDecorations(type, found.filter((one) => step(one.score) === index)));
    }
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
