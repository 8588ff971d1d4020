import { visible } from './visible.ts';

const barWidth = 24;
const everyMs = 80;
/** Interval of lines where standard error is no terminal, such as in the log of a job. */
const lineEveryMs = 10_000;

/**
 * Progress on standard error: a bar on a terminal, elsewhere a line every ten seconds. Several at once share one bar, with their
 * sums.
 */
export class Progress {
  static readonly #shownAtOnce = new Set<Progress>();
  static #drawnAt = 0;
  readonly #label: string;
  readonly #quiet: boolean;
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #lineFrom = Date.now();
  #state = { done: 0, total: 0, note: '' };

  constructor(label: string, quiet = false) {
    this.#label = visible(label);
    this.#quiet = quiet;
  }

  update(done: number, total: number, note = ''): void {
    if (this.#quiet) return;
    const all = Progress.#shownAtOnce.add(this);
    this.#state = { done, total, note };
    const since = this.#isTerminal ? Progress.#drawnAt : Math.max(Progress.#drawnAt, this.#lineFrom);
    if (Date.now() - since < (this.#isTerminal ? everyMs : lineEveryMs)) return;
    Progress.#drawnAt = Date.now();
    const shown = all.size === 1 ? { label: this.#label, ...this.#state } : Progress.#summed();
    const share = shown.total > 0 ? Math.min(1, shown.done / shown.total) : 0;
    const percent = `${String(Math.round(share * 100)).padStart(3)} %  ${shown.note}`;
    const filled = Math.round(share * barWidth);
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
    process.stderr.write(
      this.#isTerminal
        ? `\r\x1b[K${shown.label}  ${bar} ${percent}`
        : `${shown.label}  ${percent.trimEnd()}\n`,
    );
  }

  static #summed(): { label: string; done: number; total: number; note: string } {
    const states = [...Progress.#shownAtOnce].map((one) => one.#state);
    const sum = (key: 'done' | 'total') => states.reduce((all, state) => all + state[key], 0);
    return { label: `${states.length} at once`, done: sum('done'), total: sum('total'), note: '' };
  }

  /** Clears the bar. */
  clear(): void {
    Progress.#shownAtOnce.delete(this);
    if (this.#isTerminal && !this.#quiet) process.stderr.write('\r\x1b[K');
  }

  /** Replaces the bar by one line with the outcome. */
  end(note: string): void {
    Progress.#shownAtOnce.delete(this);
    if (this.#isTerminal && !this.#quiet) process.stderr.write(`\r\x1b[K${this.#label}  ${note}\n`);
  }
}

/** `12.3 MB`, decimal units. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
