/** Showing a suspicious place: in a text's editor, or in the cell of a notebook. */

import * as vscode from "vscode";
import type { Place, Range } from "../protocol";

export async function reveal(place: Place): Promise<void> {
  const uri = vscode.Uri.parse(place.uri);
  if (uri.scheme === "vscode-notebook-cell") {
    await revealCell((one) => one.document.uri.toString() === uri.toString());
    return;
  }
  if (uri.path.endsWith(".ipynb") && !isOpenAsText(uri)) {
    // Its lines are those of the file; the cell is known by its code.
    await vscode.window.showNotebookDocument(await vscode.workspace.openNotebookDocument(uri));
    await revealCell((one) => one.notebook.uri.toString() === uri.toString() && holds(one.document, place.text ?? ""));
    return;
  }
  await revealText(uri, place.range);
}

/** Show a file's text with the cursor at the start of a range. */
export async function revealText(uri: vscode.Uri, { start, end }: Range): Promise<void> {
  const cursor = new vscode.Range(start.line, start.character, start.line, start.character);
  const editor = await vscode.window.showTextDocument(uri, { selection: cursor });
  editor.revealRange(new vscode.Range(start.line, start.character, end.line, end.character), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

const isOpenAsText = (uri: vscode.Uri): boolean =>
  vscode.workspace.textDocuments.some((one) => one.uri.toString() === uri.toString());

const holds = (document: vscode.TextDocument, code: string): boolean =>
  Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line).text.trim()).some((line) => line.startsWith(code));

async function revealCell(isWanted: (cell: vscode.NotebookCell) => boolean): Promise<void> {
  const cell = vscode.workspace.notebookDocuments.flatMap((one) => one.getCells()).find(isWanted);
  if (cell !== undefined) {
    const range = new vscode.NotebookRange(cell.index, cell.index + 1);
    const editor = await vscode.window.showNotebookDocument(cell.notebook, { selections: [range] });
    editor.revealRange(range, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
  }
}
