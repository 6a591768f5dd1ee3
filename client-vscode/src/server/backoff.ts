/** How long to wait before a server that ended is started again, and when to leave it. */

export class Backoff {
  private ends: number[] = [];

  constructor(
    private readonly most = 5,
    private readonly window = 3 * 60_000,
    private readonly first = 500,
  ) {}

  /** Milliseconds to wait after an end at `now`, undefined where it ended too often of late. */
  next(now: number): number | undefined {
    this.ends = this.ends.filter((end) => now - end < this.window);
    this.ends.push(now);
    return this.ends.length > this.most ? undefined : this.first * 2 ** (this.ends.length - 1);
  }

  reset(): void {
    this.ends = [];
  }
}
