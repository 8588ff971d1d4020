import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { InputError } from '@ploidy/formats';
import { printedBy, realFiles, realFilesSkip } from '../../../../test/support/real-files.ts';
import { convertContent, type OwnConversion } from './conversion.fixture.ts';

const packages = ['statsmodels', 'lifelines', 'pydeseq2'];
const skip = realFilesSkip(packages, 'python3');
const sizeMaxBytes = 300_000;

/** One path for each content: some files are copies. */
const paths = new Map(
  packages
    .flatMap((name) => realFiles(name, ['.csv', '.tsv']))
    .filter((path) => statSync(path).size <= sizeMaxBytes)
    .map((path) => [readFileSync(path, 'latin1'), path]),
);

/** Prints the records of a file as JSON: Python's own reader knows nothing of this one. */
const program = `import csv, io, json, sys
for path in sys.argv[1:]:
    try:
        text = open(path, encoding='utf-8-sig', newline='').read()
        separator = max('\\t;,', key=text.split('\\n', 1)[0].count)
        rows = [row for row in csv.reader(io.StringIO(text, newline=''), delimiter=separator, strict=True) if row]
    except (csv.Error, UnicodeDecodeError):
        rows = None
    print(json.dumps(rows))`;

/** Reasons to refuse a file that Python reads: columns without a name of their own, lines of other lengths. */
const reasons =
  /(?:are both called|columns, but the header has|values instead of titles|repeats the titles|separated by blanks|carriage return|more than 2000 columns)/;

const sums = { files: 0, refused: 0, unread: 0, rows: 0, values: 0 };

let printed: (string[][] | null)[] = [];
before(() => {
  if (skip !== false) return;
  const text = printedBy('python3', ['-c', program, ...paths.values()]) ?? '';
  printed = text.split('\n', paths.size).map((line) => JSON.parse(line));
});

describe('tables of real files are those of Python', { skip }, () => {
  for (const [at, path] of [...paths.values()].entries())
    test(path.split('/').slice(-2).join('/'), async () => {
      const read = printed[at];
      let conversion: OwnConversion;
      try {
        conversion = await convertContent(readFileSync(path), { name: 'ledger' }, {}, basename(path));
      } catch (error) {
        assert.ok(error instanceof InputError, String(error));
        sums.refused += 1;
        if (read) assert.match(error.message, reasons);
        return;
      }
      if (!read) {
        sums.unread += 1;
        return;
      }
      compare(read, conversion);
      sums.files += 1;
      sums.rows += conversion.cells.length;
    });

  test('most files are read by both', (context) => {
    context.diagnostic(JSON.stringify(sums));
    assert.ok(sums.files >= 150 && sums.values >= 200_000);
  });
});

describe('tables of every dialect of Python are its own', { skip: realFilesSkip([], 'python3') }, () => {
  test('each field has its value', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'ploidy-dialects-'));
    const before = sums.values;
    try {
      const program = join(import.meta.dirname, '../../../../test/real-files/dialects.py');
      const written = printedBy('python3', [program, folder])?.trim().split('\n') ?? [];
      assert.equal(written.length, 180);
      for (const line of written) {
        const { path, rows } = JSON.parse(line) as { path: string; rows: string[][] };
        compare(rows, await convertContent(readFileSync(path), { name: 'ledger' }));
      }
    } finally {
      await rm(folder, { recursive: true });
    }
    context.diagnostic(`${sums.values - before} values`);
  });
});

/** Compares every field of the records, which begin with the titles. */
function compare([titles = [], ...records]: string[][], { account, columns, cells }: OwnConversion): void {
  assert.equal(columns.length, titles.length);
  assert.equal(account?.records, records.length);
  const left = account?.leftOut.reduce((sum, { count }) => sum + count, 0) ?? 0;
  const kept = records.filter((record) => record.some((cell) => cell !== ''));
  assert.equal(cells.length, kept.length);
  assert.equal(cells.length + left, records.length);
  const types = columns.map((column) => column.split(':')[1] ?? '');
  for (const [line, record] of kept.entries())
    for (const [place, type] of types.entries()) {
      const text = record[place] ?? '';
      sums.values += 1;
      const own = cells[line]?.[place] ?? null;
      assert.ok(isSame(own, text, type), `${titles[place]} of record ${line + 1}: ${own} for ${text}`);
    }
}

const absent = /^(?:|\.|-|n\/?a|nan|null|none|#n\/a|<na>)$/i;

/** Compares a value of the table with the text of its field. */
function isSame(own: string | null, text: string, type: string): boolean {
  if (own === null) return type === 'string' ? text.trim() === '' : absent.test(text.trim());
  if (type === 'int') return BigInt(own) === BigInt(text.trim());
  if (type === 'float') return Number(own) === Number(text);
  return type === 'boolean' ? own === text.trim().toLowerCase() : own === text.trim();
}
