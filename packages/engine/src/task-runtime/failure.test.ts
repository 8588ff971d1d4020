import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InputError } from '@ploidy/formats';
import { failureOf, withoutLiterals } from './failure.ts';

const failures: [string, string, string][] = [
  [
    'Binder Error: Referenced column "a" not found in FROM clause!\nCandidate bindings: "b"\n\nLINE 1: SELECT a FROM read_parquet(\'/data/x.parquet\')\n               ^',
    'SQL',
    'Referenced column "a" not found in FROM clause! Candidate bindings: "b"',
  ],
  [
    "Conversion Error: Could not convert string '1/2/2020' to INT32",
    'SQL',
    "Could not convert string '1/2/2020' to INT32",
  ],
  [
    'Permission Error: Cannot access file "/srv/data/a.csv" - file system operations are disabled by configuration',
    'SQL',
    'Cannot access file "(file)" - file system operations are disabled by configuration',
  ],
  [
    'IO Error: Could not read from file "/srv/data/a.parquet": Input/output error',
    'INTERNAL',
    'IO Error: Could not read from file "(file)": Input/output error',
  ],
  [
    'INTERNAL Error: Attempted to access index 0\n\nStack Trace:\n\n/srv/lib/libduckdb.so(x)',
    'INTERNAL',
    'INTERNAL Error: Attempted to access index 0',
  ],
  [
    "Out of Memory Error: failed to offload data block (1/1 used).\nThis limit was set by the 'max_temp_directory_size' setting.",
    'DISK',
    'It needed more temporary disk space than one task may use. Sort, join or group fewer rows.',
  ],
  [
    'IO Error: Could not write file "/srv/x": No space left on device',
    'DISK',
    'The storage is full: free space or add some, then try again.',
  ],
  [
    'ENOSPC: no space left on device, write',
    'DISK',
    'The storage is full: free space or add some, then try again.',
  ],
  [
    'Out of Memory Error: could not allocate block of size 256.0 KiB (1/1 used)',
    'MEMORY',
    'It needed more memory than one task may use. Read fewer columns or rows, or aggregate in steps.',
  ],
];

for (const [message, code, reported] of failures) {
  // asvs: 16.5.1
  test(`reported as ${code}: ${message.slice(0, 60)}`, () => {
    const failure = failureOf(new Error(message));
    assert.deepEqual([failure.code, failure.message], [code, reported]);
  });
}

test('a broken input keeps its place', () => {
  const failure = failureOf(new InputError('no POS', { line: 3, column: 2 }));
  assert.deepEqual(failure, { code: 'INPUT', message: 'no POS', line: 3, column: 2 });
});

test('the key inside a masking view never shows in a message', () => {
  const view = "SELECT sha256('0123456789abcdef' || id) AS id FROM read_parquet(['/srv/a.parquet'])";
  const error = withoutLiterals(new Error("Binder Error: cannot use sha256('0123456789abcdef' || id)"), [
    view,
  ]);
  assert.equal(failureOf(error).message, "cannot use sha256('…' || id)");
});

test('the key never shows in a message, also where short literals shift the pairs of quotes', () => {
  const key = '0123456789abcdef'.repeat(4);
  const view = `SELECT {'at': DATE '1900-01-01', 'key': sha256('${key}' || id)} AS id, 'x' FROM t`;
  const error = withoutLiterals(new Error(`Binder Error: cannot use sha256('${key}:shift:' || id)`), [view]);
  assert.doesNotMatch(failureOf(error).message, /0123456789abcdef/);
});

test('a quoted value with any number of blank lines is read from a message in linear time', () => {
  const failure = failureOf(
    new Error(`Conversion Error: Could not convert string '${'\n'.repeat(2_000_000)}' to INT32`),
  );
  assert.deepEqual([failure.code, failure.message], ['SQL', "Could not convert string ' ' to INT32"]);
});

test('a whole row in the place of a column is reported without the columns of its table', () => {
  for (const message of [
    "Conversion Error: Type VARCHAR with value '1' can't be cast to the destination type STRUCT(patient_id VARCHAR)",
    'Binder Error: Cannot compare values of type VARCHAR and type STRUCT(patient_id VARCHAR)',
  ])
    assert.deepEqual(failureOf(new Error(message)), {
      ...{ code: 'SQL', line: undefined, column: undefined },
      message:
        'A whole row is compared with a value or cast: a name of a table is no column, write table.column.',
    });
});
