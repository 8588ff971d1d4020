import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Bounds, boundForm } from '@ploidy/formats/tables';
import type { AvroSchema } from './avro.ts';
import type { IcebergSchema } from './schema.ts';

/** Bounds of a column in a file: readers leave out files that cannot hold what they look for. */
type ValueBound = {
  /** Field id of the column. */
  key: number;
  value: Uint8Array;
};

/** Bounds of the columns of a file, as single values (Iceberg v2, "Appendix D"). */
export interface ValueBounds {
  lower_bounds: ValueBound[];
  upper_bounds: ValueBound[];
}

/** Files whose bounds are read in one turn of the event loop. */
const filesPerTurn = 250;

/** Reads the bounds of files of a table, in their order; undefined for a file that may hold anything. */
export async function valueBoundsOf(
  files: readonly { bounds?: string }[],
  { table, schema }: { table: string; schema: IcebergSchema },
): Promise<(ValueBounds | undefined)[]> {
  const all: (ValueBounds | undefined)[] = [];
  for (const [at, { bounds }] of files.entries()) {
    if (at % filesPerTurn === filesPerTurn - 1) await nextTurn();
    all.push(bounds === undefined ? undefined : boundsIn(JSON.parse(bounds) as Bounds, table, schema));
  }
  return all;
}

function boundsIn(bounds: Bounds, table: string, { fields }: IcebergSchema): ValueBounds | undefined {
  const found: ValueBounds = { lower_bounds: [], upper_bounds: [] };
  for (const { id: key, name, type } of fields) {
    const bound = bounds[name];
    // Digests have another order than the values.
    if (!bound || boundForm(table, name) === 'digests') continue;
    const ends = 'among' in bound ? textEnds(bound.among) : [longBytes(bound.from), longBytes(bound.to)];
    const [lower, upper] = ends;
    if (!lower || !upper || type !== ('among' in bound ? 'string' : 'long')) continue;
    found.lower_bounds.push({ key, value: lower });
    found.upper_bounds.push({ key, value: upper });
  }
  return found.lower_bounds.length > 0 ? found : undefined;
}

/** Returns the least and the greatest text, by their bytes; none without texts. */
function textEnds(texts: readonly string[]): Buffer[] {
  const sorted = texts.map((text) => Buffer.from(text)).sort(Buffer.compare);
  return [...sorted.slice(0, 1), ...sorted.slice(-1)];
}

/** Encodes a whole number as eight bytes. */
export function longBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes;
}

/** Builds the type of a map from field ids to values, which Avro keeps as a list of pairs. */
export function boundsSchema(keyId: number, valueId: number): AvroSchema {
  const pair = {
    type: 'record',
    name: `k${keyId}_v${valueId}`,
    fields: [
      { name: 'key', type: 'int', 'field-id': keyId },
      { name: 'value', type: 'bytes', 'field-id': valueId },
    ],
  };
  return { type: 'array', logicalType: 'map', items: pair };
}
