import type { Carriers } from './genotypes.ts';

/** Records with rows, and those without by reason. Structural ones have rows elsewhere. */
export interface RecordAccount {
  withRows: number;
  /** No sample is called: `./.`. */
  uncalled: number;
  filtered: number;
  /** All samples have the reference. */
  reference: number;
  ownerless: number;
  structural: number;
  /** Records with rows that have a key of INFO. */
  info: ReadonlyMap<string, number>;
  /** Records with rows by their FORMAT. */
  formats: ReadonlyMap<string, number>;
}

const none = () => ({ withRows: 0, uncalled: 0, filtered: 0, reference: 0, ownerless: 0, structural: 0 });

/** Counts records by what gave them rows, or left them without. */
export class RecordCounts {
  counts = none();

  /** Counts a record with carriers. `isFiltered`: filters of an alternate failed. */
  mapped(hasRows: boolean, isStructural: boolean, isFiltered: boolean): void {
    const reason = isStructural ? 'structural' : isFiltered ? 'filtered' : 'reference';
    this.counts[hasRows ? 'withRows' : reason] += 1;
  }

  /** Counts a record without carriers. `isFiltered`: there were some whose genotype failed. */
  without({ hasGenotypes, hasCalls }: Carriers, isFiltered: boolean, isStructural: boolean): false {
    if (isStructural) this.counts.structural += 1;
    else if (!hasGenotypes && !hasCalls) this.counts.ownerless += 1;
    else if (isFiltered) this.counts.filtered += 1;
    else this.counts[hasCalls ? 'reference' : 'uncalled'] += 1;
    return false;
  }

  /** Returns the counts since the last call. `keys`: those of INFO, with the number of records that have each. */
  take(keys: readonly string[], ofKeys: Float64Array, formats: ReadonlyMap<string, number>): RecordAccount {
    const info = keys.flatMap((name, slot): [string, number][] =>
      ofKeys[slot] === 0 ? [] : [[name, ofKeys[slot] as number]],
    );
    const { counts } = this;
    this.counts = none();
    return { ...counts, info: new Map(info), formats };
  }
}
