/** Where all captured texts go: to the server, now or once it runs; and what is over is taken back. */

import type { Asking, Listed, Report } from "../protocol";

export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

const MOST_WAITING = 20;

export class Captures {
  private readonly waiting = new Map<string, { text: string; program: boolean }>();
  private shown = new Set<string>();

  constructor(
    private readonly server: Asking,
    private readonly log: Log,
    private readonly onWaiting: (count: number) => void = () => undefined,
    private readonly ignored: () => string[] = () => [],
  ) {}

  /** A run of `source` has failed; `text` is what it printed, `program` whether it was no mere tool. */
  async failed(source: string, text: string, program = true): Promise<void> {
    if (text.trim() === "") {
      return;
    }
    if (!this.server.isRunning) {
      this.waiting.delete(source);
      this.waiting.set(source, { text, program });
      while (this.waiting.size > MOST_WAITING) {
        this.waiting.delete(this.waiting.keys().next().value!);
      }
      this.onWaiting(this.waiting.size);
      return;
    }
    try {
      const argument = { text, source, captured: true, program, ignoredCategories: this.ignored() };
      const report = await this.server.execute<Report | null>("dlBug.localize", argument);
      const primary = report?.failures.find((one) => one.primary);
      this.log.info(`${source}: ${primary ? `${primary.category.id}, ${primary.suspects.length} places` : "no failure"}`);
    } catch (error) {
      this.log.warn(`${source}: ${(error as Error).message}`);
    }
  }

  /** A command starts in a folder: what is wrong with it may be known before it fails. */
  async starts(command: string, workspace: string, python?: string): Promise<void> {
    if (!this.server.isRunning) {
      return;
    }
    try {
      await this.server.execute("dlBug.check", { command, workspace, captured: true, python });
    } catch (error) {
      this.log.warn(`check: ${(error as Error).message}`);
    }
  }

  /** A run of `source` has ended well: what an earlier one showed is over. */
  async succeeded(source: string): Promise<void> {
    if (this.waiting.delete(source)) {
      this.onWaiting(this.waiting.size);
    }
    if (!this.shown.has(source) || !this.server.isRunning) {
      return;
    }
    try {
      await this.server.execute("dlBug.resolve", { source });
    } catch (error) {
      this.log.warn(`${source}: ${(error as Error).message}`);
    }
  }

  /** The server's list of what is shown. */
  take(listed: readonly Listed[]): void {
    this.shown = new Set(listed.flatMap((one) => one.sources ?? [one.source]));
  }

  /** The server runs: hand over what waited for it, oldest first. */
  async flush(): Promise<void> {
    const texts = [...this.waiting];
    this.waiting.clear();
    if (texts.length > 0) {
      this.onWaiting(0);
    }
    for (const [source, { text, program }] of texts) {
      await this.failed(source, text, program);
    }
  }
}
