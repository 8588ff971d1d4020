import { RecordFault, unnoted } from '../delimited/index.ts';
import type { OpenFile } from './format.ts';

/** Uses of the columns of a file, by their places. */
interface ColumnUses {
  read: ReadonlySet<number>;
  /** Kept as JSON in `attributes`. */
  kept: ReadonlySet<number>;
}

/**
 * Finds out which fields of records a reader looks at: it reads the first records through objects that note each access. So no reader
 * has to declare what it reads. `file` is a second opening, whose counts are dropped.
 */
export function columnUses(
  file: OpenFile,
  names: readonly string[],
  records: readonly (readonly string[])[],
): ColumnUses {
  const read = new Set<number>();
  const kept = new Set<number>();
  for (const fields of records) {
    const keys = keysKept(file, noting(fields, read));
    // R's names of rows are before the columns without a name of their own.
    const shift = fields.length === names.length + 1 && fields.at(-1) !== '' ? 1 : 0;
    for (const [place, name] of names.entries())
      if (keys.has(name.trim()) && names.indexOf(name) === place) kept.add(place + shift);
  }
  return { read, kept };
}

function noting(fields: readonly string[], touched: Set<number>): readonly string[] {
  return new Proxy(fields, {
    get(target, key) {
      if (key === unnoted) return target;
      if (typeof key === 'string' && /^\d+$/.test(key)) touched.add(Number(key));
      return Reflect.get(target, key);
    },
  });
}

/** Names in the attributes of a record's rows; none of one that is no record. */
function keysKept(file: OpenFile, fields: readonly string[]): Set<string> {
  try {
    const [row] = file.rows(fields);
    const attributes = row?.['attributes'];
    return new Set(typeof attributes === 'string' ? Object.keys(JSON.parse(attributes) as object) : []);
  } catch (error) {
    if (error instanceof RecordFault) return new Set();
    throw error;
  }
}
