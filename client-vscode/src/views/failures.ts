/** What the server shows, as the client last heard of it; all views are made of it. */

import * as path from "node:path";
import * as vscode from "vscode";
import type { Asking, Failure, Listed, Place, Report } from "../protocol";

/** One failure with the report that it is in. */
export interface Shown {
  listed: Listed;
  failure: Failure;
}

export class Failures implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<readonly Listed[]>();
  private readonly reports = new Map<string, Promise<Report | null>>();
  private asked = 0;
  readonly onDidChange = this.changed.event;
  listed: readonly Listed[] = [];

  constructor(private readonly server: Asking) {}

  /** Ask the server again; an answer that a later question has overtaken is dropped. */
  async refresh(): Promise<void> {
    const asked = ++this.asked;
    try {
      const listed = this.server.isRunning ? await this.server.execute<Listed[]>("dlBug.failures") : this.listed;
      if (asked !== this.asked) {
        return;
      }
      this.listed = listed;
      const ids = new Set(listed.map((one) => one.report));
      for (const id of this.reports.keys()) {
        if (!ids.has(id)) {
          this.reports.delete(id);
        }
      }
      this.changed.fire(listed);
    } catch {
      // The server ended meanwhile: it tells again once it runs.
    }
  }

  /** The failures, newest report first, the one that ended its run before its others. */
  shown(): Shown[] {
    return this.listed.flatMap((listed) =>
      [...listed.failures].sort((a, b) => Number(b.primary) - Number(a.primary)).map((failure) => ({ listed, failure })),
    );
  }

  places(): { shown: Shown; place: Place }[] {
    return this.shown().flatMap((shown) => shown.failure.places.map((place) => ({ shown, place })));
  }

  /** Where to look first for the newest failure, with the doubt that there is; undefined where nothing is known. */
  firstPlace(): string | undefined {
    const failure = this.shown()[0]?.failure;
    const place = failure?.places[0];
    if (failure === undefined || place === undefined) {
      return undefined;
    }
    const name = path.posix.basename(vscode.Uri.parse(place.uri).path);
    const doubt = place.suspect === 1 && failure.doubt ? ` (${failure.doubt})` : "";
    return `${name}:${place.range.start.line + 1}${doubt}`;
  }

  /** The whole report of an id. */
  report(id: string): Promise<Report | null> {
    let found = this.reports.get(id);
    if (found === undefined) {
      found = this.server.execute<Report | null>("dlBug.report", { report: id }).catch(() => {
        this.reports.delete(id);
        return null;
      });
      this.reports.set(id, found);
    }
    return found;
  }

  dispose(): void {
    this.changed.dispose();
  }
}
