/** Times of what was done, by name, and failures. */
export class Latencies {
  readonly #times = new Map<string, number[]>();
  readonly #failures = new Map<string, Map<string, number>>();

  add(name: string, ms: number): void {
    const times = this.#times.get(name) ?? [];
    times.push(ms);
    this.#times.set(name, times);
  }

  fail(name: string, reason: string): void {
    const reasons = this.#failures.get(name) ?? new Map<string, number>();
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    this.#failures.set(name, reasons);
  }

  print(title: string): void {
    const lines = [...this.#times].toSorted().map(([name, times]) => {
      const sorted = times.toSorted((one, other) => one - other);
      const at = (part: number): string =>
        `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)} ms`;
      return `${name}: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}, of ${times.length}`;
    });
    const failures = [...this.#failures].flatMap(([name, reasons]) =>
      [...reasons].map(([reason, count]) => `${name} failed ${count} times: ${reason}`),
    );
    process.stdout.write(`${[title, ...lines, ...failures].join('\n')}\n`);
  }
}
