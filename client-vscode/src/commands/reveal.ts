/** Showing a suspicious place: in a text's editor, or in the cell of a notebook. */

import * as vscode from "vscode";
import type { Place } from "../protocol";

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
