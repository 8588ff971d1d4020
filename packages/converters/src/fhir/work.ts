import { rmSync } from 'node:fs';
import { type EncodedGroup, viewOf } from '@ploidy/formats';
import type { Work } from '../threads.ts';
import { tableOf } from './file-tables.ts';
import { type Known, type ReadTask, readSlice, type SliceOutcome } from './read/read-slice.ts';
import { NewestVersions } from './rows/newest-versions.ts';
import type { RowRange } from './rows/ranges.ts';
import { RefusedVersions } from './rows/refused-versions.ts';
import { isBefore, mergeRows, type RowSource } from './rows/row-cursor.ts';
import { RowFile, type Section } from './rows/row-file.ts';
import { RowGroup } from './rows/row-group.ts';
import { SliceRows } from './rows/slice-rows.ts';

/** Merges files into one and removes them. */
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
  /** Slice and number of each older version, from rows of `_resource`. */
  lost: Float64Array<ArrayBuffer>;
}

export type Task = ReadTask | JoinTask | GroupTask;
export type Outcome<T extends Task> = T extends ReadTask
  ? SliceOutcome
  : T extends JoinTask
    ? Section[]
    : GroupOutcome;

/** Creates the work of one thread of a conversion. */
export function openWork(known: Known): Work<Task> {
  let rows: SliceRows | undefined;
  let group: RowGroup | undefined;
  return (task) => {
    if (task.kind === 'join') return { outcome: join(task), moved: [] };
    if (task.kind === 'group') {
      // All is read by now. The next group of the table reuses the memory.
      rows?.release();
      rows = undefined;
      if (group?.table.name !== task.table) {
        group?.release();
        group = new RowGroup(tableOf(task.table));
      }
      const outcome = makeGroup(task, group);
      return { outcome, moved: [outcome.encoded.bytes.buffer as ArrayBuffer] };
    }
    rows ??= new SliceRows();
    const outcome = readSlice(task, known, rows);
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
    else if (table === 'coding') group.addCoding(row, versions);
    else if (!versions.has(row.slice, row.number)) group.add(row.buffer, row.start);
  }
  newest.end();
  return { table, encoded: group.encode(), lost: Float64Array.from(newest.refused) };
}

function keyOf(text: string | undefined): DataView | undefined {
  return text === undefined ? undefined : viewOf(Buffer.from(text, 'latin1'));
}
