/** What a lens offers: the evidence of its place, the failure's other places, and what can be done. */

import * as vscode from "vscode";
import type { Evidence, Report } from "../protocol";
import { categoryName, doubtOf, plain, shareWords } from "../views/words";

type Failure = Report["failures"][number];

/** The rank of a place to go to, or something to do. */
export interface Choice extends vscode.QuickPickItem {
  choice?: number | "report" | "log" | "dismiss";
}

const LONGEST_MESSAGE = 200;

/** What is offered; `numberOf` gives the number of a shown place by its rank. */
export function choices(
  failure: Failure,
  rank: number | undefined,
  numberOf: (rank: number) => number | undefined,
): { items: Choice[]; title: string; placeHolder: string } {
  const suspect = failure.suspects.find((one) => one.rank === rank);
  const others = failure.suspects.filter((one) => one !== suspect && numberOf(one.rank) !== undefined);
  const doubt = doubtOf(failure.confidence);
  const share = (one: { rank: number; score: number }): string => shareWords({ suspect: one.rank, score: one.score }, doubt);
  const items: Choice[] = [
    ...(suspect?.evidence ?? []).map((one: Evidence) => ({
      label: `$(info) ${plain(one.why)}`,
      choice: suspect!.rank,
    })),
    ...(others.length > 0 ? [separator("Other places")] : []),
    ...others.map((one) => ({ label: `$(target) ${numberOf(one.rank)}. ${one.file}:${one.line}`, description: share(one), choice: one.rank })),
    separator("More"),
    { label: "$(book) Show Report", choice: "report" },
    { label: "$(output) Open Log at Failure", choice: "log" },
    { label: "$(close) Dismiss This Place", choice: "dismiss" },
  ];
  const number = rank === undefined ? undefined : (numberOf(rank) ?? rank);
  const last = Math.max(number ?? 0, ...failure.suspects.map((one) => numberOf(one.rank) ?? 0));
  const title = `${categoryName(failure.category.id)}: suspicious place ${number} of ${last}${suspect === undefined ? "" : ` (${share(suspect)})`}`;
  const { exception } = failure;
  const placeHolder = exception === null ? title : `${exception.type}: ${exception.message}`.slice(0, LONGEST_MESSAGE);
  return { items, title, placeHolder };
}

function separator(label: string): Choice {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
