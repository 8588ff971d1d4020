const linesMax = 400;

/** The last actions, to explain a failure, and counts of each action's outcomes. */
export class Journal {
  readonly #startedAt = performance.now();
  readonly #lines: string[] = [];
  readonly #ofEach = new Map<string, string[]>();
  readonly #counts = new Map<string, number>();

  note(who: string, act: string, end: string | number): void {
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(3);
    const line = `${seconds.padStart(8)} s  ${who}  ${act}  ${end}`;
    const own = this.#ofEach.get(who) ?? [];
    this.#ofEach.set(who, own);
    for (const lines of [this.#lines, own]) {
      lines.push(line);
      if (lines.length > linesMax) lines.shift();
    }
  }

  /** The last acts of one client, or of the faults (''). */
  linesOf(who: string): readonly string[] {
    return this.#ofEach.get(who) ?? [];
  }

  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  /** `name: how often`, by name. */
  get counts(): string {
    const sorted = [...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([what, count]) => `${what}: ${count}`).join(', ');
  }

  get lines(): readonly string[] {
    return this.#lines;
  }
}
