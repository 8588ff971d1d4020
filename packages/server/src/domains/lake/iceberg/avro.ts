import { createHash } from 'node:crypto';

/** Avro schema, as far as Iceberg's manifests need it. */
export type AvroSchema = string | AvroSchema[] | AvroComplex;

interface AvroComplex {
  type: string | AvroComplex;
  name?: string;
  items?: AvroSchema;
  fields?: AvroField[];
  logicalType?: string;
  'element-id'?: number;
}

export interface AvroField {
  name: string;
  type: AvroSchema;
  'field-id': number;
  default?: null;
}

type Value = null | undefined | number | boolean | string | Uint8Array | Value[] | Values;

interface Values {
  [name: string]: Value;
}

/** Encodes records as an Avro object container file of one block without compression; the same records as the same bytes. */
export function avroFile(
  schema: AvroSchema,
  records: readonly Value[],
  metadata: Readonly<Record<string, string>>,
): Buffer {
  const head = new AvroOutput();
  head.raw(Buffer.from('Obj\x01'));
  const entries = Object.entries({
    'avro.schema': JSON.stringify(schema),
    'avro.codec': 'null',
    ...metadata,
  });
  head.long(entries.length);
  for (const [key, value] of entries) {
    head.bytes(Buffer.from(key));
    head.bytes(Buffer.from(value));
  }
  head.long(0);
  const body = new AvroOutput();
  for (const record of records) encode(body, schema, record);
  const block = body.toBuffer();
  // Separates blocks, so it should not occur in one by chance.
  const mark = createHash('sha256').update(block).digest().subarray(0, 16);
  head.raw(mark);
  head.long(records.length);
  head.long(block.length);
  head.raw(block);
  head.raw(mark);
  return head.toBuffer();
}

/** Primitive encodings (Avro 1.11, "Binary encoding"). */
class AvroOutput {
  readonly #chunks: Uint8Array[] = [];

  /** Writes a zigzag variable-length number. */
  long(value: number | bigint): void {
    const whole = BigInt(value);
    let rest = BigInt.asUintN(64, (whole << 1n) ^ (whole >> 63n));
    const bytes: number[] = [];
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    this.#chunks.push(Buffer.from(bytes));
  }

  bytes(value: Uint8Array): void {
    this.long(value.length);
    this.#chunks.push(value);
  }

  raw(value: Uint8Array): void {
    this.#chunks.push(value);
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

function encode(output: AvroOutput, schema: AvroSchema, value: Value): void {
  const kind = typeof schema === 'string' || Array.isArray(schema) ? schema : schema.type;
  if (Array.isArray(kind)) encodeUnion(output, kind, value);
  else if (typeof kind !== 'string') encode(output, kind, value);
  else if (kind === 'record') {
    for (const field of fieldsOf(schema)) encode(output, field.type, (value as Values)[field.name]);
  } else if (kind === 'array') {
    const items = value as Value[];
    if (items.length > 0) output.long(items.length);
    for (const item of items) encode(output, itemsOf(schema), item);
    output.long(0);
  } else encodePrimitive(output, kind, value);
}

function encodePrimitive(output: AvroOutput, kind: string, value: Value): void {
  if (kind === 'int' || kind === 'long') output.long(value as number);
  else if (kind === 'boolean') output.raw(Buffer.from([value ? 1 : 0]));
  else if (kind === 'string') output.bytes(Buffer.from(value as string));
  else if (kind === 'bytes') output.bytes(value as Uint8Array);
  else throw new Error(`An Avro schema has the unknown type ${kind}.`);
}

/** Unions here are of null and one other type. */
function encodeUnion(output: AvroOutput, schemas: AvroSchema[], value: Value): void {
  const isNull = value === null || value === undefined;
  const index = schemas.findIndex((schema) => (schema === 'null') === isNull);
  const schema = schemas[index];
  if (schema === undefined) throw new Error('A value fits no type of an Avro union.');
  output.long(index);
  if (!isNull) encode(output, schema, value);
}

const fieldsOf = (schema: AvroSchema): AvroField[] => (schema as AvroComplex).fields ?? [];

const itemsOf = (schema: AvroSchema): AvroSchema => (schema as AvroComplex).items ?? 'null';
