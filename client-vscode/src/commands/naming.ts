/** How a place is named in the arguments of commands. */

import type { Place, PlaceArgument } from "../protocol";
import type { Shown } from "../views/failures";
import type { Node } from "../views/tree";

export type Named = Required<Pick<PlaceArgument, "report" | "failure" | "suspect">>;

export function nameOf(shown: Shown, place: Place): Named {
  return { report: shown.listed.report, failure: shown.failure.failure, suspect: place.suspect };
}

export function isSame(a: PlaceArgument | undefined, b: PlaceArgument): boolean {
  return a !== undefined && a.report === b.report && a.failure === b.failure && a.suspect === b.suspect;
}

/** A place as the server names it, from a node of the tree, a lens' argument, or nothing. */
export function named(argument: unknown): PlaceArgument {
  const node = argument as Partial<Node> | undefined;
  if (node?.kind === "failure" && node.shown) {
    return { report: node.shown.listed.report, failure: node.shown.failure.failure };
  }
  if (node?.kind === "place" && node.shown && node.place) {
    return nameOf(node.shown, node.place);
  }
  return typeof argument === "object" && argument !== null ? (argument as PlaceArgument) : {};
}
