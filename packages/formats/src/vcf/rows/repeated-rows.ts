import { textOf } from '../../bytes.ts';
import type { EntryColumn } from './columns/entry-column.ts';
import type { RowOrder } from './row-order.ts';

/** Entries of a group, by their numbers, and their rows in the order of addition. */
interface RecordedEntries {
  order: RowOrder;
  entryCount: number;
  positions: Float64Array;
  chromosomes: Int32Array;
  /** Number of the record of each entry. */
  records: Int32Array;
  /** Ids of allele and gene. */
  ids: EntryColumn;
  rowCounts: Int32Array;
  samples: Int32Array;
}

/** Counts rows whose allele, gene and sample another record of the same place has, too. Most places have one record. */
export function countRepeatedRows(entries: RecordedEntries): number {
  const { order, entryCount, positions, chromosomes, records } = entries;
  let firstRows: Int32Array | undefined;
  let count = 0;
  for (let start = 0, end = 0; start < entryCount; start = end) {
    const first = order.entryAt(start);
    let isOneRecord = true;
    for (end = start + 1; end < entryCount; end += 1) {
      const entry = order.entryAt(end);
      if (positions[entry] !== positions[first] || chromosomes[entry] !== chromosomes[first]) break;
      isOneRecord &&= records[entry] === records[first];
    }
    if (isOneRecord) continue;
    firstRows ??= firstRowsOf(entries);
    count += countAtPlace(entries, start, end, firstRows);
  }
  return count;
}

function firstRowsOf({ entryCount, rowCounts }: RecordedEntries): Int32Array {
  const rows = new Int32Array(entryCount + 1);
  for (let entry = 0; entry < entryCount; entry += 1)
    rows[entry + 1] = (rows[entry] as number) + (rowCounts[entry] as number);
  return rows;
}

function countAtPlace(
  { order, ids, samples }: RecordedEntries,
  start: number,
  end: number,
  firstRows: Int32Array,
): number {
  const samplesOfId = new Map<string, Set<number>>();
  let count = 0;
  for (let place = start; place < end; place += 1) {
    const entry = order.entryAt(place);
    const bytes = ids.texts.at(ids.places[entry] as number);
    const id = textOf(bytes, 0, bytes.length);
    const own = samples.subarray(firstRows[entry], firstRows[entry + 1]);
    const known = samplesOfId.get(id);
    if (known) for (const sample of own) count += known.has(sample) ? 1 : 0;
    samplesOfId.set(id, new Set([...(known ?? []), ...own]));
  }
  return count;
}
