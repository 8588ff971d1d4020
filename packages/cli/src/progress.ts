import { visible } from './visible.ts';

const barWidth = 24;
const everyMs = 80;

/** A progress bar on standard error; shows nothing where that is not a terminal. */
export class Progress {
  readonly #label: string;
  readonly #shown: boolean;
  #drawnAt = 0;

  constructor(label: string, quiet = false) {
    this.#label = visible(label);
    this.#shown = process.stderr.isTTY === true && !quiet;
  }

  update(done: number, total: number, note = ''): void {
    if (!this.#shown || Date.now() - this.#drawnAt < everyMs) return;
    this.#drawnAt = Date.now();
    const share = total > 0 ? Math.min(1, done / total) : 0;
    const filled = Math.round(share * barWidth);
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
    process.stderr.write(
      `\r\x1b[K${this.#label}  ${bar} ${String(Math.round(share * 100)).padStart(3)} %  ${note}`,
    );
  }

  /** Clears the bar. */
  clear(): void {
    if (this.#shown) process.stderr.write('\r\x1b[K');
  }

  /** Replaces the bar by one line with the outcome. */
  end(note: string): void {
    if (this.#shown) process.stderr.write(`\r\x1b[K${this.#label}  ${note}\n`);
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
