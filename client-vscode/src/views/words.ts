/** Words and small pictures that several views share. */

import * as vscode from "vscode";
import { CATEGORIES } from "../generated";

export function categoryName(id: string): string {
  return CATEGORIES[id] ?? id.replaceAll("_", " ");
}

export function percent(share: number): string {
  return share < 0.01 ? "<1 %" : `${Math.round(share * 100)} %`;
}

/** The doubt of a report that concerns all its places, as the server words it. */
const UNSURE = "not sure";
/** The server's words for how far the order of a report's places can be trusted; none where the first one is likely. */
const DOUBTS: Readonly<Record<string, string>> = { unsure: UNSURE, possible: "not certain" };

export function doubtOf(confidence: string): string {
  return DOUBTS[confidence] ?? "";
}

/** A place's share with the doubt there is: of the first place any, of the others that none of them may be right. */
export function shareWords(place: { suspect: number; score: number }, doubt = ""): string {
  const isShown = doubt !== "" && (place.suspect === 1 || doubt === UNSURE);
  return percent(place.score) + (isShown ? `, ${doubt}` : "");
}

/** A place's number among those that are shown. */
export function numberOf(place: { suspect: number; number?: number }): number {
  return place.number ?? place.suspect;
}

/** A share as a bar of ten characters. */
export function bar(share: number): string {
  const full = Math.min(10, Math.max(0, Math.round(share * 10)));
  return "█".repeat(full) + "░".repeat(10 - full);
}

/** A text in one line, cut at its end where it is longer than that. */
export function brief(text: string, longest: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}

/** A failure's message as the exception's name without its modules, and the rest. */
export function parts(message: string): { name: string; rest: string } {
  const found = /^(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)(?:: ([^]*))?$/.exec(message);
  return found === null ? { name: "", rest: message } : { name: found[1]!, rest: found[2] ?? "" };
}

/** Evidence's sentence without the marks of code. */
export function plain(sentence: string): string {
  return sentence.replaceAll("`", "");
}

/** Whether the server's text of a URI names the editor's one; both write some characters in their own way. */
export function isSameUri(text: string, uri: vscode.Uri): boolean {
  return text === uri.toString() || vscode.Uri.parse(text).toString() === uri.toString();
}
