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

export function choices(
  failure: Failure,
  rank: number | undefined,
  isShown: (rank: number) => boolean,
): { items: Choice[]; title: string; placeHolder: string } {
  const suspect = failure.suspects.find((one) => one.rank === rank);
  const others = failure.suspects.filter((one) => one !== suspect && isShown(one.rank));
  const doubt = doubtOf(failure.confidence);
  const share = (one: { rank: number; score: number }): string => shareWords({ suspect: one.rank, score: one.score }, doubt);
  const items: Choice[] = [
    ...(suspect?.evidence ?? []).map((one: Evidence) => ({
      label: `$(info) ${plain(one.why)}`,
      choice: suspect!.rank,
    })),
    ...(others.length > 0 ? [separator("Other places")] : []),
    ...others.map((one) => ({ label: `$(target) ${one.rank}. ${one.file}:${one.line}`, description: share(one), choice: one.rank })),
    separator("More"),
    { label: "$(book) Show Report", choice: "report" },
    { label: "$(output) Open Log at Failure", choice: "log" },
    { label: "$(close) Dismiss This Place", choice: "dismiss" },
  ];
  const last = Math.max(...failure.suspects.map((one) => one.rank).filter((one) => one === rank || isShown(one)));
  const title = `${categoryName(failure.category.id)}: suspicious place ${rank} of ${last}${suspect === undefined ? "" : ` (${share(suspect)})`}`;
  const { exception } = failure;
  const placeHolder = exception === null ? title : `${exception.type}: ${exception.message}`.slice(0, LONGEST_MESSAGE);
  return { items, title, placeHolder };
}

function separator(label: string): Choice {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
