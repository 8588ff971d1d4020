import type { ResultType } from '../result-type.ts';
import { identifier } from './quote.ts';

/** Types of the engine that readers of Parquet and Arrow know as well, beside DECIMAL. */
const known: ReadonlySet<string> = new Set([
  ...['BOOLEAN', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT'],
  ...['FLOAT', 'DOUBLE', 'VARCHAR', 'BLOB', 'DATE', 'TIME'],
  ...['TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS', 'TIMESTAMP WITH TIME ZONE'],
]);

/**
 * Returns the type that a column has in a Parquet or Arrow file: its own, where other tools have that type. Integers of 128 bits become
 * DECIMAL(38,0), since the engine's Parquet would hold a DOUBLE; what no other tool has (intervals, bits, UUIDs, unions) becomes text.
 */
export function portableType(type: ResultType): ResultType {
  switch (type.kind) {
    case 'list': {
      const item = portableType(type.item);
      return { kind: 'list', name: `${item.name}[]`, item };
    }
    case 'map': {
      const [key, item] = [portableType(type.key), portableType(type.item)];
      return { kind: 'map', name: `MAP(${key.name}, ${item.name})`, key, item };
    }
    case 'struct': {
      // The fields of ROW(1, 2) have no names; these are Presto's.
      const fields = type.fields.map((field, index) => ({
        name: field.name === '' ? `field${index}` : field.name,
        type: portableType(field.type),
      }));
      const names = fields.map((field) => `${identifier(field.name)} ${field.type.name}`);
      return { kind: 'struct', name: `STRUCT(${names.join(', ')})`, fields };
    }
    case 'plain':
    case 'other':
      return { kind: 'plain', name: portableName(type.name) };
  }
}

function portableName(name: string): string {
  if (name === 'HUGEINT' || name === 'UHUGEINT') return 'DECIMAL(38,0)';
  return known.has(name) || name.startsWith('DECIMAL(') ? name : 'VARCHAR';
}
