import { type AvroField, type AvroSchema, avroFile } from './avro.ts';
import { type IcebergSchema, partitionSpecsOf } from './schema.ts';
import { boundsSchema, longBytes, type ValueBounds } from './value-bounds.ts';

/** File of a table with the address under which readers open it. */
export interface DataFile {
  address: string;
  size: number;
  rowCount: number;
  /** Ordinal of all rows; null if the file has the column `_ordinal`. */
  ordinal: number | null;
  /** Absent: it may hold anything. */
  bounds?: ValueBounds | undefined;
}

/** Written manifest, as a manifest list names it. */
export interface Manifest {
  address: string;
  length: number;
  specId: number;
  files: readonly DataFile[];
}

const field = (id: number, name: string, type: AvroSchema): AvroField => ({ name, type, 'field-id': id });
const optional = (id: number, name: string, type: AvroSchema): AvroField => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': id,
});

/** Partition of files whose rows are of one ingestion. */
const ordinalPartition = [optional(1000, '_ordinal', 'long')];

/** Entries of a manifest (Iceberg v2, "Manifests"). Further statistics are in the footers of the files. */
const entrySchema = (partition: AvroField[]): AvroSchema => ({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    field(0, 'status', 'int'),
    optional(1, 'snapshot_id', 'long'),
    optional(3, 'sequence_number', 'long'),
    optional(4, 'file_sequence_number', 'long'),
    field(2, 'data_file', {
      type: 'record',
      name: 'r2',
      fields: [
        field(134, 'content', 'int'),
        field(100, 'file_path', 'string'),
        field(101, 'file_format', 'string'),
        field(102, 'partition', { type: 'record', name: 'r102', fields: partition }),
        field(103, 'record_count', 'long'),
        field(104, 'file_size_in_bytes', 'long'),
        optional(125, 'lower_bounds', boundsSchema(126, 127)),
        optional(128, 'upper_bounds', boundsSchema(129, 130)),
      ],
    }),
  ],
});

const summarySchema: AvroSchema = {
  type: 'record',
  name: 'r508',
  fields: [
    field(509, 'contains_null', 'boolean'),
    optional(518, 'contains_nan', 'boolean'),
    optional(510, 'lower_bound', 'bytes'),
    optional(511, 'upper_bound', 'bytes'),
  ],
};

/** Entries of a manifest list (Iceberg v2, "Manifest lists"). */
const listSchema: AvroSchema = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    field(500, 'manifest_path', 'string'),
    field(501, 'manifest_length', 'long'),
    field(502, 'partition_spec_id', 'int'),
    field(517, 'content', 'int'),
    field(515, 'sequence_number', 'long'),
    field(516, 'min_sequence_number', 'long'),
    field(503, 'added_snapshot_id', 'long'),
    field(504, 'added_files_count', 'int'),
    field(505, 'existing_files_count', 'int'),
    field(506, 'deleted_files_count', 'int'),
    field(512, 'added_rows_count', 'long'),
    field(513, 'existing_rows_count', 'long'),
    field(514, 'deleted_rows_count', 'long'),
    optional(507, 'partitions', { type: 'array', 'element-id': 508, items: summarySchema }),
  ],
};

const added = 1;

/** Encodes a manifest. `specId`: 0 for merged files, 1 for files of one ingestion each. */
export function manifestFile(
  files: readonly DataFile[],
  specId: number,
  snapshot: number,
  schema: IcebergSchema,
): Buffer {
  const entries = files.map(({ address, size, rowCount, ordinal, bounds }) => ({
    ...{ status: added, snapshot_id: snapshot, sequence_number: snapshot, file_sequence_number: snapshot },
    data_file: {
      ...{ content: 0, file_path: address, file_format: 'PARQUET' },
      partition: ordinal === null ? {} : { _ordinal: ordinal },
      ...{ record_count: rowCount, file_size_in_bytes: size },
      ...{ lower_bounds: bounds?.lower_bounds, upper_bounds: bounds?.upper_bounds },
    },
  }));
  return avroFile(entrySchema(specId === 1 ? ordinalPartition : []), entries, {
    schema: JSON.stringify(schema),
    'schema-id': '0',
    'partition-spec': JSON.stringify(partitionSpecsOf(schema)[specId]?.fields ?? []),
    'partition-spec-id': String(specId),
    'format-version': '2',
    content: 'data',
  });
}

/** Encodes the list of a snapshot's manifests. */
export function manifestList(manifests: readonly Manifest[], snapshot: number): Buffer {
  const entries = manifests.map(({ address, length, specId, files }) => ({
    ...{ manifest_path: address, manifest_length: length, partition_spec_id: specId, content: 0 },
    ...{ sequence_number: snapshot, min_sequence_number: snapshot, added_snapshot_id: snapshot },
    ...{ added_files_count: files.length, existing_files_count: 0, deleted_files_count: 0 },
    added_rows_count: files.reduce((sum, { rowCount }) => sum + rowCount, 0),
    ...{ existing_rows_count: 0, deleted_rows_count: 0 },
    partitions: specId === 1 ? [rangeOf(files)] : [],
  }));
  return avroFile(listSchema, entries, {
    'snapshot-id': String(snapshot),
    'parent-snapshot-id': 'null',
    'sequence-number': String(snapshot),
    'format-version': '2',
  });
}

function rangeOf(files: readonly DataFile[]) {
  const ordinals = files.map(({ ordinal }) => ordinal ?? 0);
  return {
    contains_null: false,
    contains_nan: null,
    lower_bound: longBytes(ordinals.reduce((low, one) => Math.min(low, one))),
    upper_bound: longBytes(ordinals.reduce((high, one) => Math.max(high, one))),
  };
}
