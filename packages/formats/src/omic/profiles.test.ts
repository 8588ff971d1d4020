/** Every profile reads its own example, however a table of its program is written. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { RecordFault } from '../delimited/index.ts';
import { InputError } from '../input-error.ts';
import type { Row } from '../parquet/index.ts';
import { columnUses } from './column-uses.ts';
import type { Profile } from './profile.ts';
import { profiles } from './profiles.ts';
import { type RecognisedFile, recogniseColumns } from './recognise.ts';

type Record = readonly (readonly [column: string, value: string])[];

const tableOf = (columns: Record): string =>
  [columns.map(([name]) => name), columns.map(([, value]) => value)]
    .map((line) => line.join('\t'))
    .join('\n');

/** Reads a table without a declared type. */
function read(columns: Record): { rows: Row[]; found: RecognisedFile } {
  const found = recogniseColumns(`${tableOf(columns)}\n`, { fileName: 'S1.tsv', isWhole: true });
  if (!found) throw new InputError('unknown');
  const rows = found.file.rows(columns.map(([, value]) => value));
  for (const row of rows) row['sequence_type'] ??= found.file.sequenceType;
  return { rows, found };
}

/** Splits `column=value | column=value`. */
const pairsOf = (text: string): Record =>
  text.split(' | ').map((pair) => pair.split('=') as [string, string]);

/** Returns the first row as its example has it. */
const shown = ([row = {}]: readonly Row[], { example }: Profile): string =>
  pairsOf(example.row)
    .map(([name]) => `${name}=${row[name] ?? '-'}`)
    .join(' | ');

for (const [number, profile] of profiles.entries())
  describe(`${profile.program} (${profile.type}, ${number})`, () => {
    const columns = pairsOf(profile.example.record);

    test('the example is recognised as its own, and gives its row', () => {
      const { rows, found } = read(columns);
      assert.deepEqual([found.format.name, found.format.type], [profile.program, profile.type]);
      assert.equal(shown(rows, profile), profile.example.row);
    });

    test('lines of the header of a SAM above it are no header of a table', () => {
      const above = '@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:9\n@RG\tID:x\tSM:S9\n';
      const recognition = { fileName: 'S1.tsv', isWhole: true };
      const found = recogniseColumns(`${above}${tableOf(columns)}\n`, recognition);
      assert.deepEqual([found?.format.name, found?.linesBefore], [profile.program, 4]);
    });

    test('columns in any order, in any case, with blanks, dots or dashes in their names, and behind a mark', () => {
      const forms = [
        (name: string) => name,
        (name: string) => name.toUpperCase(),
        (name: string) => name.toLowerCase(),
        (name: string) => ` ${name} `,
        (name: string) => name.replaceAll('_', '.'),
        (name: string) => name.replaceAll('_', '-'),
      ];
      const isOfSamples = profile.type === 'expression' && profile.amounts !== undefined;
      fc.assert(
        fc.property(
          fc.shuffledSubarray([...columns], { minLength: columns.length }),
          fc.constantFrom(...(isOfSamples ? forms.slice(0, 1) : forms)),
          fc.boolean(),
          (shuffled, form, isMarked) => {
            const written = shuffled.map(([name, value], place) => {
              const mark = isMarked && place === 0 ? '#' : '';
              return [`${mark}${form(name)}`, value] as const;
            });
            assert.equal(shown(read(written).rows, profile), profile.example.row);
          },
        ),
        { numRuns: 30 },
      );
    });

    test('an unknown column beside the others changes no value, or its text is refused as no amount', () => {
      const rows = rowsOrNone([...columns, ['Zq_invented', 'x']]);
      const isAnyColumn =
        profile.type === 'expression' && profile.amounts?.some(({ columns }) => columns.test('Zq'));
      if (!isAnyColumn || rows.length > 0) assert.equal(shown(rows, profile), profile.example.row);
    });

    test('a column of the same name behind the others does not change a value', () => {
      for (const [name] of columns)
        assert.equal(
          shown(rowsOrNone([...columns, [name, '']]), profile),
          profile.example.row,
          `${name} twice`,
        );
    });

    test('a column on which a row depends, beside its attributes, is listed as read', () => {
      const { found } = read(columns);
      const file = found.reopen();
      assert.ok(file);
      const { read: used } = columnUses(file, found.header?.names ?? [], found.records);
      const withoutAttributes = (from: readonly Row[]): string =>
        JSON.stringify(from.map((row) => Object.entries(row).filter(([name]) => name !== 'attributes')));
      const before = withoutAttributes(
        rowsOfRecord(
          found,
          columns.map(([, value]) => value),
        ),
      );
      for (const [place, [name]] of columns.entries()) {
        const changed = columns.map(([, value], at) => (at === place ? '' : value));
        const isOfRow = withoutAttributes(rowsOfRecord(found, changed)) !== before;
        assert.ok(!isOfRow || used.has(place), `${name} decides a column`);
      }
    });

    test('an absent value is never 0, and one with another decimal mark is no other number', () => {
      for (const [place, [name, value]] of columns.entries())
        for (const other of ['NA', '', value.replace('.', ',')]) {
          const changed = columns.map((column, at) => (at === place ? ([name, other] as const) : column));
          for (const row of rowsOrNone(changed))
            for (const [column, before] of pairsOf(profile.example.row)) {
              const found = row[column];
              if (typeof found !== 'number' || String(found) === before) continue;
              assert.ok(!other.includes(',') && found > 0, `${name}=${other}: ${column} is ${found}`);
            }
        }
    });
  });

/** Reads a record of a known table; no rows where it is refused. */
function rowsOfRecord({ file }: RecognisedFile, fields: string[]): Row[] {
  try {
    return file.rows(fields);
  } catch (error) {
    if (error instanceof RecordFault) return [];
    throw error;
  }
}

/** Reads a table; no rows where it, or its record, is refused. */
function rowsOrNone(columns: Record): Row[] {
  try {
    return read(columns).rows;
  } catch (error) {
    if (error instanceof RecordFault || error instanceof InputError) return [];
    throw error;
  }
}
