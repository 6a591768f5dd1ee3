/** What the server's commands take and answer (docs/server.md). Lines and characters are 0-based. */

export interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

export interface Place {
  /** The rank, which names the place in the commands' arguments. */
  suspect: number;
  /** The number among the places that are shown; absent in answers of older servers. */
  number?: number;
  score: number;
  uri: string;
  range: Range;
  /** The line's code; absent in answers of older servers. */
  text?: string;
  /** What speaks most for it, in one sentence; absent in answers of older servers. */
  reason?: string;
}

export interface Failure {
  failure: string;
  primary: boolean;
  category: string;
  message: string;
  reliable: boolean;
  /** How far the first place can be trusted, in two words; empty where it is likely. Absent in answers of older servers. */
  doubt?: string;
  places: Place[];
}

/** One entry of `dlBug.failures`: what a source's latest text told. */
export interface Listed {
  report: string;
  source: string;
  /** Every source that told this failure, the latest first. */
  sources?: string[];
  workspace: string;
  log: string | null;
  failures: Failure[];
}

export interface Evidence {
  kind: string;
  score: number;
  why: string;
}

/** The parts of the report (docs/report.schema.json) that are read here; its lines are 1-based. */
export interface Report {
  workspace: string;
  failures: {
    id: string;
    primary: boolean;
    category: { id: string; confidence: number };
    /** How far the order of the suspects can be trusted: `likely`, `possible` or `unsure`. */
    confidence: string;
    exception: { type: string; message: string } | null;
    suspects: { rank: number; file: string; line: number; end_line: number; function: string | null; score: number; evidence: Evidence[] }[];
  }[];
}

/** What names a place in the commands' arguments, as a lens hands it over. */
export interface PlaceArgument {
  report?: string;
  failure?: string;
  suspect?: number;
  uri?: string;
}

/** What `dlBug.check` answers: docs/check.schema.json. */
export interface CheckReport {
  programs: string[];
  findings: { id: string; certainty: string; file: string | null; line: number | null; message: string }[];
  problems: string[];
}

export const FAILURES_CHANGED = "dlBug/failuresChanged";
/** The command that lenses run; the server names it because we say that we have it. */
export const SHOW_SUSPECT = "dlBug.showSuspect";

/** The server as the rest of the extension sees it. */
export interface Asking {
  readonly isRunning: boolean;
  /** Run one of the server's commands. Throws where the server does not run or refuses. */
  execute<T>(command: string, argument?: object): Promise<T>;
}

/** A server that can be waited for; where it cannot be had, the user is told what to do. */
export interface Waiting extends Asking {
  ready(): Promise<boolean>;
}

/** One line of `dlBug.heatmap`, 0-based. */
export interface HeatLine {
  line: number;
  score: number;
  failing: number;
  passing: number;
}
