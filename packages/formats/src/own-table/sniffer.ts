import type { ColumnType } from '../tables/index.ts';
import { type Kind, kindOf } from './value.ts';

/** Share of values of one notation above which the others in a column are probably errors. */
const nearlyAll = 0.9;

/** Type of a column by its values. `advice`: reason for text although most values look like another type, or for a doubt. */
interface Sniffed {
  type: ColumnType;
  advice?: { message: string; line: number };
}

interface Seen {
  count: number;
  /** Line of the first. */
  line: number;
}

const typed: readonly Kind[] = ['boolean', 'int', 'float', 'date'];

/** Finds the type of a column from all of its values. Every value must fit it. */
export class ColumnSniffer {
  readonly #seen = new Map<Kind, Seen>();
  /** Numbers of digits behind the point; line of the first value with zeros at their end. */
  readonly #decimals = new Set<number>();
  #zerosLine: number | undefined;

  add(text: string, line: number): void {
    const kind = kindOf(text);
    if (kind === 'float') this.#addDecimals(text, line);
    const seen = this.#seen.get(kind);
    if (seen) seen.count += 1;
    else this.#seen.set(kind, { count: 1, line });
  }

  result(): Sniffed {
    const kinds = [...this.#seen.keys()].filter((kind) => kind !== 'absent');
    if (kinds.length === 1 && kinds[0] === 'float') return this.#float();
    if (kinds.length === 1 && typed.includes(kinds[0] as Kind)) return { type: kinds[0] as ColumnType };
    const areNumbers = kinds.every((kind) => kind === 'int' || kind === 'float' || kind === 'exponent');
    if (areNumbers && kinds.includes('float')) return this.#float();
    const advice = this.#advice();
    return {
      type: 'string',
      ...(advice && { advice: { ...advice, message: `stays text: it ${advice.message}` } }),
    };
  }

  #addDecimals(text: string, line: number): void {
    const [, decimals = ''] = /\.(\d+)$/.exec(text) ?? [];
    this.#decimals.add(decimals.length);
    if (/\d0$/.test(decimals)) this.#zerosLine ??= line;
  }

  /** Programs write zeros at the end of all numbers or of none: else they may belong to codes, as in ICD-9's 250.00. */
  #float(): Sniffed {
    const line = this.#zerosLine;
    if (line === undefined || this.#decimals.size < 2) return { type: 'float' };
    const message =
      'holds numbers with and without zeros at the end, which are not kept: if these are codes, give it the type string';
    return { type: 'float', advice: { message, line } };
  }

  #advice(): Sniffed['advice'] {
    const of = (kind: Kind): number => this.#seen.get(kind)?.count ?? 0;
    const total = [...this.#seen].reduce(
      (sum, [kind, { count }]) => (kind === 'absent' ? sum : sum + count),
      0,
    );
    if (total === 0) return undefined;
    const numbers = of('int') + of('float');
    const first = (...kinds: Kind[]): number =>
      Math.min(...[...this.#seen].filter(([kind]) => !kinds.includes(kind)).map(([, { line }]) => line));
    const line = (kind: Kind): number => this.#seen.get(kind)?.line ?? 1;
    if ((of('comma') + numbers) / total >= nearlyAll && of('comma') > 0)
      return {
        message:
          'holds numbers with commas or other marks: write decimals with a point, and thousands without a separator',
        line: line('comma'),
      };
    if ((of('exponent') + numbers) / total >= nearlyAll && of('exponent') > 0)
      return {
        message: 'holds values like 1E5, which may be numbers or codes: give the type of the column',
        line: line('exponent'),
      };
    if (of('day') / total >= nearlyAll)
      return { message: 'holds dates in another format: write them as YYYY-MM-DD', line: line('day') };
    if (numbers / total >= nearlyAll)
      return {
        message: `holds ${numbers} numbers, and ${total - numbers} values that are not numbers or have leading zeros or too many digits: correct them, or give the type of the column`,
        line: first('int', 'float', 'absent'),
      };
    if (of('date') / total >= nearlyAll)
      return {
        message: `holds ${of('date')} dates, and ${total - of('date')} values that are not dates: correct them, or give the type of the column`,
        line: first('date', 'absent'),
      };
    return undefined;
  }
}
