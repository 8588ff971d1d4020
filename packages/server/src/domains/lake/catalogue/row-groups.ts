import type { Condition, TableConditions } from '@ploidy/engine';
import { type ColumnEnds, excerptOf, NoParquet } from '@ploidy/formats/parquet';
import { boundForm } from '@ploidy/formats/tables';
import type { BlobInfo, ChooseExcerpt } from '../../../platform/blobs/blobs.ts';
import type { LakeFile } from './lake-files.ts';

type EndsOf = (column: string) => ColumnEnds | undefined;

/** Test whether a row group may hold rows that matter. */
type GroupTest = (endsOf: EndsOf) => boolean;

/** Blobs that a statement opens in a project, and tests of row groups where not all rows matter. */
interface Opened {
  blobs: readonly BlobInfo[];
  groupTests: ReadonlyMap<string, GroupTest>;
}

/** Builds tests for the row groups of files by key, from conditions that are usable for the reader. */
export function groupTestsOf(
  files: readonly LakeFile[],
  conditions: TableConditions | undefined,
  tableOf: (file: LakeFile) => string,
): Map<string, GroupTest> {
  const tests = files.flatMap((file): [string, GroupTest][] => {
    const table = tableOf(file);
    const places = conditions?.[table];
    if (!places) return [];
    const test: GroupTest = (endsOf) =>
      places.some((place) => place.every((one) => mayHold(table, one, endsOf)));
    return [[file.blob.key, test]];
  });
  return new Map(tests);
}

/** Returns how to choose the row groups of blobs: those that matter to one of the readings. All of them need a test. */
export function excerptsOf(readings: readonly Opened[]): Map<string, ChooseExcerpt> {
  const opened = readings.flatMap(({ blobs, groupTests }) =>
    blobs.map(({ key }) => ({ key, test: groupTests.get(key) })),
  );
  const chosen = [...Map.groupBy(opened, ({ key }) => key)].flatMap(
    ([key, all]): [string, ChooseExcerpt][] => {
      const tests = all.flatMap(({ test }) => test ?? []);
      if (tests.length < all.length) return [];
      return [[key, (size, tail) => chosenBy(size, tail, (endsOf) => tests.some((test) => test(endsOf)))]];
    },
  );
  return new Map(chosen);
}

/** Returns undefined for a file whose footer cannot be read: its copy is compared with its digest. */
function chosenBy(size: number, tail: Buffer, test: GroupTest): ReturnType<ChooseExcerpt> {
  try {
    return excerptOf(size, tail, test);
  } catch (error) {
    if (error instanceof NoParquet) return undefined;
    throw error;
  }
}

/** Compares only columns with bounds, of which text is text and numbers have 64 bits. */
function mayHold(table: string, condition: Condition, endsOf: EndsOf): boolean {
  const form = boundForm(table, condition.column);
  const ends = form && endsOf(condition.column);
  if (!ends || 'of' in condition) return true;
  const { least, greatest } = ends;
  if ('among' in condition)
    return form === 'range' || condition.among.some((value) => isBetween(Buffer.from(value), ends));
  if (form !== 'range' || least.length !== 8 || greatest.length !== 8) return true;
  const { from = -Infinity, to = Infinity } = condition;
  return from <= Number(greatest.readBigInt64LE()) && to >= Number(least.readBigInt64LE());
}

/** Texts are in the order of their bytes. */
const isBetween = (value: Buffer, { least, greatest }: ColumnEnds): boolean =>
  value.compare(least) >= 0 && value.compare(greatest) <= 0;
