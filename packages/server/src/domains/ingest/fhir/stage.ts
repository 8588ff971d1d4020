import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Coding, type Identity, type RowSink, tables, type Value } from '@ploidy/formats';
import { controlText, holdsControls, separator } from './field-text.ts';
import { RowSorter } from './row-sorter.ts';
import { RowFile } from './sorted-runs.ts';
import { WriteQueue } from './write-queue.ts';

/** Rows that are written as they come and sorted by the engine: all of them short. Columns as they lie in the file. */
export const unsortedColumns = {
  resource: [
    'resource_type',
    'resource_id',
    'patient_id',
    'last_updated',
    'deleted',
    'decisive',
    'rank',
    'ordinal',
  ],
  coding: ['coded', 'ordinal'],
  coded: ['coded', 'element', 'system', 'code', 'display'],
  sample: ['sample_name', 'patient_id', 'specimen_id', 'resource_type', 'resource_id', 'ordinal'],
  medication: ['medication_id', 'code', 'system', 'display', 'text', 'ordinal'],
  medication_of: ['resource_type', 'resource_id', 'patient_id', 'medication_id', 'ordinal'],
} as const;

export type UnsortedName = keyof typeof unsortedColumns;

/** The resource whose rows are being taken. */
export interface StagedResource {
  identity: Identity;
  patientId: string | undefined;
  /** Compact JSON, for the `data` columns. */
  text: string;
  /** Number of the resource in the source. */
  ordinal: number;
}

/** Longer systems, codes and sample names are no such thing; displays are cut to it. */
const codingLengthMax = 1000;
/** Different codings that are remembered; with more of them some are written twice. */
const codedMax = 100_000;
/** A document larger than this is not put into `data`; the engine could not write it within its memory. */
export const dataLengthMax = 16 * 1024 * 1024;
const lastKey = '\x7f';
const tablesWithId = new Set(
  [...tables.values()].filter((table) => table.columns[1]?.name.endsWith('id')).map((t) => t.name),
);
const tablesWithData = new Set(
  [...tables.values()]
    .filter((table) => table.columns.some(({ name }) => name === 'data'))
    .map((t) => t.name),
);

/** The rows on their way from the resources to the engine, in a folder of their own. */
export class Stage implements RowSink {
  readonly folder: string;
  readonly sorters = new Map<string, RowSorter>();
  readonly #queue = new WriteQueue();
  readonly #unsorted = new Map<UnsortedName, { file: RowFile; path: string }>();
  #buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #resource: StagedResource = {
    identity: { type: '', id: '', lastUpdated: undefined },
    patientId: undefined,
    text: '',
    ordinal: 0,
  };
  #mayHoldControls = false;
  /** Numbers of the codings written last. */
  readonly #coded = new Map<string, number>();
  #codedCount = 0;
  #medicationId: string | undefined;
  rows = 0;
  /** Whether line breaks were written as other characters in some text. */
  hasLineBreaks = false;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { mode: 0o700 });
  }

  /** The rows that follow are those of this resource. */
  begin(resource: StagedResource): void {
    this.#resource = resource;
    this.#mayHoldControls = resource.text.includes('\\');
    this.#medicationId = undefined;
  }

  /** Notes that the present resource exists, or was removed. Of several with one id the first of this order wins. */
  note(options: { deleted: boolean; decisive: boolean; rank: number }): void {
    const { identity, patientId, ordinal } = this.#resource;
    const { type, id, lastUpdated } = identity;
    this.#write('resource', [
      type,
      id,
      patientId,
      lastUpdated,
      options.deleted,
      options.decisive,
      options.rank,
      ordinal,
    ]);
  }

  row(table: string, values: Value[]): void {
    const { identity, text, ordinal } = this.#resource;
    let line = '';
    for (const value of values) line += this.#field(value) + separator;
    line += `${identity.type}${separator}${identity.lastUpdated ?? ''}`;
    if (table === 'medication') line += separator + (this.#medicationId ?? '');
    if (tablesWithData.has(table)) line += separator + this.#dataOf(table, values, text);
    const key = `${values[0] ?? lastKey}${separator}${tablesWithId.has(table) ? values[1] : ''}`;
    this.#sorter(table).add(key, ordinal, line);
    this.rows += 1;
  }

  /** The document stands in the main row only, not in those of components. */
  #dataOf(table: string, values: Value[], text: string): string {
    const isComponent = table === 'observation' && values[2] !== undefined;
    return isComponent || text.length > dataLengthMax ? '' : text;
  }

  /** Codings repeat: each is written once with a number, and the number for each resource that has it. */
  coding(element: string, { system = '', code = '', display = '' }: Coding): void {
    if (system.length > codingLengthMax || code.length > codingLengthMax) return;
    const name = `${element}${separator}${system}${separator}${code}${separator}${display}`;
    let number = this.#coded.get(name);
    if (number === undefined) {
      if (this.#coded.size === codedMax) this.#coded.clear();
      number = this.#codedCount;
      this.#codedCount += 1;
      this.#coded.set(name, number);
      const shown = display.slice(0, codingLengthMax).toWellFormed();
      this.#write('coded', [number, element, system, code, shown]);
    }
    this.#write('coding', [number, this.#resource.ordinal]);
  }

  sample(name: string, specimenId: string | undefined): void {
    const { identity, patientId, ordinal } = this.#resource;
    if (name.length > codingLengthMax) return;
    this.#write('sample', [name, patientId, specimenId, identity.type, identity.id, ordinal]);
  }

  medicationOf(medicationId: string): void {
    const { identity, patientId, ordinal } = this.#resource;
    this.#medicationId = medicationId;
    this.#write('medication_of', [identity.type, identity.id, patientId, medicationId, ordinal]);
  }

  medication(values: Value[]): void {
    const { identity, ordinal } = this.#resource;
    this.#write('medication', [identity.id, ...values, ordinal]);
  }

  #field(value: Value): string {
    if (value === undefined) return '';
    if (!this.#mayHoldControls || !holdsControls(value)) return String(value);
    this.hasLineBreaks = true;
    return controlText(value);
  }

  #write(name: UnsortedName, values: Value[]): void {
    const line = values.map((value) => this.#field(value)).join(separator);
    if (line.length * 3 > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(line.length * 3);
    const bytes = this.#buffer.write(line, 0, 'utf8');
    let open = this.#unsorted.get(name);
    if (!open) {
      const path = join(this.folder, `${name}.unsorted`);
      open = { file: new RowFile(path, this.#queue), path };
      this.#unsorted.set(name, open);
    }
    open.file.add(this.#buffer, 0, bytes);
  }

  #sorter(table: string): RowSorter {
    let sorter = this.sorters.get(table);
    if (!sorter) {
      sorter = new RowSorter(this.folder, table, this.#queue);
      this.sorters.set(table, sorter);
    }
    return sorter;
  }

  /** To be called now and then: lets the disk keep up. Rejects when it cannot. */
  async settle(): Promise<void> {
    await this.#queue.room();
    for (const sorter of this.sorters.values()) await sorter.settle();
  }

  /** Ends the unsorted files; gives their paths. */
  async close(): Promise<Map<UnsortedName, { path: string; longestRowBytes: number }>> {
    const closed = new Map<UnsortedName, { path: string; longestRowBytes: number }>();
    for (const [name, { file, path }] of this.#unsorted) {
      file.close();
      closed.set(name, { path, longestRowBytes: file.longestRowBytes });
    }
    this.#unsorted.clear();
    await this.#queue.settled();
    return closed;
  }

  async discard(): Promise<void> {
    for (const { file } of this.#unsorted.values()) file.close();
    this.#unsorted.clear();
    this.sorters.clear();
    await this.#queue.idle();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
