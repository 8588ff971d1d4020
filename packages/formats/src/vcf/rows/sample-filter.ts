import { textOf } from '../../bytes.ts';
import type { Dictionary } from '../../parquet/index.ts';
import { hasSupport, joinedFilters, passes } from '../support.ts';
import { type CallNumbers, callNumbers } from './calls/call-numbers.ts';
import { SampleFields } from './calls/sample-fields.ts';
import type { Carriers } from './carriers.ts';
import type { RecordLine } from './record-line.ts';

const [filterColumn, infoColumn] = [6, 7];
const alternateDepth = callNumbers.indexOf('alternate_depth');

/** The filters of genotypes (FORMAT/FT), which join FILTER. */
export class SampleFilter {
  readonly #fields: SampleFields;

  constructor(key: string) {
    this.#fields = new SampleFields([key]);
  }

  /** Drops the carriers whose genotype failed. */
  keepPassed(line: RecordLine, carriers: Carriers): void {
    this.#fields.read(line);
    carriers.keep((column) => passes(this.#textOf(line, column)));
  }

  /** The number of FILTER with what the genotype failed among the texts; -1 without either. */
  take(line: RecordLine, column: number, texts: Dictionary): number {
    this.#fields.read(line);
    const ofRecord = line.is(filterColumn, '.')
      ? ''
      : textOf(line.bytes, line.startOf(filterColumn), line.endOf(filterColumn));
    texts.begin().text(joinedFilters(ofRecord, this.#textOf(line, column)));
    return texts.end();
  }

  #textOf(line: RecordLine, column: number): string {
    const fields = this.#fields;
    if (column < 0) return '';
    fields.select(line, column);
    return fields.has(0) ? textOf(line.bytes, fields.startOf(0), fields.endOf(0)) : '';
  }
}

/**
 * Takes the samples of a record that passed whose caller counted reads without a genotype (`./.`). `evidence` has begun the record;
 * `support`: keys of INFO that count.
 */
export function takeUncalled(
  line: RecordLine,
  carriers: Carriers,
  evidence: CallNumbers,
  support: readonly string[],
): void {
  const isOnly = carriers.sampleCount === 1;
  carriers.takeUncalled((column) => {
    for (let alternate = 1; alternate <= line.alternateCount; alternate += 1) {
      evidence.read(line, column, alternate);
      if ((evidence.values[alternateDepth] as number) > 0) return true;
    }
    const info = textOf(line.bytes, line.startOf(infoColumn), line.endOf(infoColumn));
    return isOnly && hasSupport(info, support);
  });
}
