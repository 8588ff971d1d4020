import { rmSync } from 'node:fs';
import { type EncodedGroup, type Target, viewOf } from '@ploidy/formats';
import type { Warning } from '../../../platform/engine/conversion.ts';
import type { Work } from '../threads.ts';
import { tableOf } from './file-tables.ts';
import { NewestVersions } from './newest-versions.ts';
import type { RowRange } from './ranges.ts';
import { readSlice } from './read-slice.ts';
import { RefusedVersions } from './refused-versions.ts';
import { ResourceReader } from './resource-reader.ts';
import { isBefore, mergeRows, type RowSource } from './row-cursor.ts';
import { RowFile, type Section } from './row-file.ts';
import { RowGroup } from './row-group.ts';
import { SliceRows } from './slice-rows.ts';
import type { Slice } from './slices.ts';

/** What all threads of a conversion know. */
export interface Known {
  skipBroken: boolean;
  /** Full URLs whose text does not say what they name, as far as they are known. */
  fullUrls: ReadonlyMap<string, Target>;
  /** Whether the source is known to hold several Bundles. */
  hasSeveralBundles: boolean;
}

/** Reads a slice of the source into a file of sorted rows. */
export interface ReadTask {
  kind: 'read';
  slice: Slice;
  path: string;
}

export interface SliceOutcome {
  /** The memory of the slice, to be used again. */
  memory: ArrayBuffer;
  sections: Section[];
  /** Resources read, of whatever type. */
  resources: number;
  rows: number;
  /** The first of them. */
  warnings: Warning[];
  warningCount: number;
  /** Counts of resources that have no table, by type. */
  otherTypes: [type: string, count: number][];
  fullUrls: [url: string, target: Target][];
  /** References whose full URL names several resources of the source. */
  severalCount: number;
  /** Why the ingestion ends here. */
  broken: { message: string; line: number | undefined; column: number | undefined } | undefined;
}

/** Makes one file of several, which are removed. */
export interface JoinTask {
  kind: 'join';
  tables: { table: string; sources: RowSource[] }[];
  path: string;
}

/** Makes a row group. */
export interface GroupTask {
  kind: 'group';
  table: string;
  range: RowRange;
  refused: Pick<RefusedVersions, 'bits' | 'before'>;
}

export interface GroupOutcome {
  table: string;
  encoded: EncodedGroup;
  /** Of `_resource`: slice and number of each resource that lost against a newer version. */
  lost: Float64Array<ArrayBuffer>;
}

export type Task = ReadTask | JoinTask | GroupTask;
export type Outcome<T extends Task> = T extends ReadTask
  ? SliceOutcome
  : T extends JoinTask
    ? Section[]
    : GroupOutcome;

/** What one thread of a conversion does, one task after the other. */
export function openWork(known: Known): Work<Task> {
  let reading: { reader: ResourceReader; rows: SliceRows } | undefined;
  let group: RowGroup | undefined;
  return (task) => {
    if (task.kind === 'join') return { outcome: join(task), moved: [] };
    if (task.kind === 'group') {
      // All is read by now. The memory of the last one serves the next of its table.
      reading = undefined;
      if (group?.table.name !== task.table) group = new RowGroup(tableOf(task.table));
      const outcome = makeGroup(task, group);
      return { outcome, moved: [outcome.encoded.bytes.buffer as ArrayBuffer] };
    }
    reading ??= { reader: new ResourceReader(), rows: new SliceRows() };
    const outcome = readSlice(task, known, reading.reader, reading.rows);
    return { outcome, moved: [outcome.memory] };
  };
}

function join({ tables, path }: JoinTask): Section[] {
  const file = new RowFile(path);
  try {
    for (const { table, sources } of tables) {
      file.begin(table);
      for (const row of mergeRows(sources)) file.add(row);
    }
    const sections = file.end();
    const joined = new Set(tables.flatMap(({ sources }) => sources.map((source) => source.path)));
    for (const source of joined) rmSync(source);
    return sections;
  } finally {
    file.close();
  }
}

function makeGroup({ table, range, refused }: GroupTask, group: RowGroup): GroupOutcome {
  group.clear();
  const { bits, before } = refused;
  const versions = new RefusedVersions(bits, before);
  const newest = new NewestVersions((row) => group.add(row.buffer, row.start));
  const [from, to] = [keyOf(range.from), keyOf(range.to)];
  let hasBegun = from === undefined;
  for (const row of mergeRows(range.sources)) {
    if (!hasBegun && from && isBefore(row, from)) continue;
    hasBegun = true;
    if (to && !isBefore(row, to)) break;
    if (table === '_resource') newest.add(row);
    else if (table === '_coding') group.addCoding(row, versions);
    else if (!versions.has(row.slice, row.number)) group.add(row.buffer, row.start);
  }
  newest.end();
  return { table, encoded: group.encode(), lost: Float64Array.from(newest.refused) };
}

function keyOf(text: string | undefined): DataView | undefined {
  return text === undefined ? undefined : viewOf(Buffer.from(text, 'latin1'));
}
