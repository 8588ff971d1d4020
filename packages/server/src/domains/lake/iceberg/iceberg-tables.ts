import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { LakeFile } from '../catalogue/lake-files.ts';
import { type DataFile, type Manifest, manifestFile, manifestList } from './manifests.ts';
import { hasOrdinal, type IcebergSchema, nameMapping, partitionSpecsOf, sortOrderOf } from './schema.ts';
import { valueBoundsOf } from './value-bounds.ts';

/** Table at a version of a project's lake. */
export interface TableVersion {
  project: string;
  version: number;
  table: string;
  schema: IcebergSchema;
  /** Digest of the rows and masks of its readers; empty for all rows as they are. */
  audience: string;
}

/** Properties of a file that metadata need. */
export type IcebergFile = Pick<
  LakeFile,
  'blob' | 'rowCount' | 'fileRows' | 'ordinal' | 'recordedAt' | 'bounds'
>;

/** Place from which readers take metadata and data; `Blobs` is the one of readers with access to the store. */
export interface Place {
  share(bytes: Uint8Array, extension: string, of: TableVersion): Promise<string>;
  addressOf(key: string, size: number, of: TableVersion): string;
}

/** Answer of a catalogue to the loading of a table. */
export interface LoadedTable {
  'metadata-location': string;
  metadata: Record<string, unknown>;
  config: Record<string, string>;
}

/** Files of a manifest. */
const manifestFilesMax = 1_000;
const tablesMax = 1_000;
/** Metadata files are shared for a day. Readers keep them by name, so no name is used twice. */
const metadataLifeMs = 12 * 3_600_000;

/**
 * Iceberg metadata of the lake's tables, derived from its catalogue when a reader asks. Nothing is committed:
 * the records stay the only source of truth.
 */
export class IcebergTables {
  readonly #place: Place;
  readonly #loaded = new LRUCache<string, Promise<LoadedTable>>({ max: tablesMax, ttl: metadataLifeMs });

  constructor(place: Place) {
    this.#place = place;
  }

  /** Returns the metadata of a table; for the same files the same bytes under the same names. */
  async load(of: TableVersion, files: readonly IcebergFile[]): Promise<LoadedTable> {
    const keys = files.map(({ blob }) => blob.key).join('\n');
    const name = `${of.project}/${of.table}/${of.audience}/${createHash('sha256').update(keys).digest('hex')}`;
    const known = this.#loaded.get(name);
    if (known) return known;
    const loading = this.#derive(of, files);
    this.#loaded.set(name, loading);
    loading.catch(() => this.#loaded.delete(name));
    return loading;
  }

  async #derive(of: TableVersion, files: readonly IcebergFile[]): Promise<LoadedTable> {
    const { project, version, table, schema, audience } = of;
    // Snapshots are numbered from 1.
    const snapshot = version + 1;
    const manifests = await this.#manifests(of, files, snapshot);
    const list = await this.#place.share(manifestList(manifests, snapshot), 'avro', of);
    const at = files.reduce((newest, file) => Math.max(newest, file.recordedAt), 0);
    const metadata = metadataOf({
      ...{
        id: uuidOf(`${project}/${table}${audience && `/${audience}`}`),
        at,
        snapshot,
        table,
        schema,
        list,
      },
      location: list.slice(0, list.lastIndexOf('/')),
      fileCount: files.length,
      rowCount: files.reduce((sum, { rowCount }) => sum + rowCount, 0),
    });
    const address = await this.#place.share(Buffer.from(JSON.stringify(metadata)), 'json', of);
    return { 'metadata-location': address, metadata, config: {} };
  }

  async #manifests(of: TableVersion, files: readonly IcebergFile[], snapshot: number): Promise<Manifest[]> {
    const { schema } = of;
    const bounds = await valueBoundsOf(files, of);
    const data = files.map(
      (file, at): DataFile => ({
        address: this.#place.addressOf(file.blob.key, file.blob.size, of),
        size: file.blob.size,
        rowCount: file.rowCount,
        ordinal: hasOrdinal(schema) && file.fileRows === null ? file.ordinal : null,
        bounds: bounds[at],
      }),
    );
    const manifests: Manifest[] = [];
    for (const specId of [0, 1]) {
      const ofSpec = data.filter(({ ordinal }) => (ordinal === null) === (specId === 0));
      for (let at = 0; at < ofSpec.length; at += manifestFilesMax) {
        const part = ofSpec.slice(at, at + manifestFilesMax);
        const bytes = manifestFile(part, specId, snapshot, schema);
        const address = await this.#place.share(bytes, 'avro', of);
        manifests.push({ address, length: bytes.length, specId, files: part });
      }
    }
    return manifests;
  }
}

interface MetadataParts {
  id: string;
  /** Time of the newest file: readers look for the snapshot of their own present. */
  at: number;
  snapshot: number;
  table: string;
  schema: IcebergSchema;
  location: string;
  list: string;
  fileCount: number;
  rowCount: number;
}

/** Builds table metadata (Iceberg v2, "Table metadata"). */
function metadataOf(parts: MetadataParts): Record<string, unknown> {
  const { id, at, snapshot, table, schema, location, list, fileCount, rowCount } = parts;
  const sortOrder = sortOrderOf(schema, table);
  const summary = {
    operation: 'append',
    'total-records': String(rowCount),
    'total-data-files': String(fileCount),
    'total-delete-files': '0',
    'total-position-deletes': '0',
    'total-equality-deletes': '0',
  };
  return {
    'format-version': 2,
    'table-uuid': id,
    location,
    'last-sequence-number': snapshot,
    'last-updated-ms': at,
    'last-column-id': schema.fields.length,
    'current-schema-id': 0,
    schemas: [schema],
    'default-spec-id': 0,
    'partition-specs': partitionSpecsOf(schema),
    'last-partition-id': 1000,
    'default-sort-order-id': sortOrder['order-id'],
    'sort-orders': [sortOrder],
    properties: {
      'schema.name-mapping.default': nameMapping(schema, table),
      'write.format.default': 'parquet',
    },
    'current-snapshot-id': snapshot,
    refs: { main: { 'snapshot-id': snapshot, type: 'branch' } },
    snapshots: [
      {
        'snapshot-id': snapshot,
        'sequence-number': snapshot,
        'timestamp-ms': at,
        summary,
        'manifest-list': list,
        'schema-id': 0,
      },
    ],
    'snapshot-log': [{ 'snapshot-id': snapshot, 'timestamp-ms': at }],
    'metadata-log': [],
  };
}

/** Returns a UUID (version 8) derived from a text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}
