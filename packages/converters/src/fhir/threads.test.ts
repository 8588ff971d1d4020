import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { InputError } from '@ploidy/formats';
import { ConversionFixture } from './conversion.fixture.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

/** Size of a slice; sources here have more than three, so that threads start. */
const sliceBytes = 4 * 1024 * 1024;
const count = 2000;
/** Resources of many bytes are read as fast as small ones. */
const padding = 'x'.repeat(9000);

const observation = (id: string, code: string, lastUpdated: string) => ({
  resourceType: 'Observation',
  id,
  meta: { lastUpdated },
  subject: { reference: `Patient/p${id.length}-${id.at(-1)}` },
  code: { coding: [{ system: 's', code }] },
  valueString: code,
  note: padding,
});
const dayOf = (index: number): string => new Date(Date.UTC(2020, 0, 1 + index)).toISOString();

/** `same`: the part that is equal for any number of threads. */
async function withThreads(threads: number, content: string, options = {}) {
  const path = join(fixture.folder, 'source');
  writeFileSync(path, content);
  await fixture.sql.run(`SET threads = ${threads}`);
  const { tables, warnings } = await fixture.run(path, { onError: 'skip', ...options });
  const files = tables.map(({ table, path, rows }) => [table, rows, readFileSync(path, 'base64')]);
  const select = (columns: string, table: string) =>
    fixture.sql.rows(
      `SELECT ${columns} FROM read_parquet('${tables.find((one) => one.table === table)?.path}')`,
    );
  return { warnings, select, same: { files, warnings } };
}

test('lines: one thread and several write the same files and warnings, also where slices meet and versions are apart', async () => {
  const lines: string[] = [];
  const newest = new Map<string, string>();
  const broken: number[] = [];
  let bytes = 0;
  const add = (line: string): void => {
    lines.push(line);
    bytes += line.length + 1;
  };
  for (let index = 0; index < count; index += 1) {
    // The line before the first border, and the one across it.
    const isAtBorder = Math.abs(bytes - sliceBytes) < 10_000;
    if (isAtBorder || index % 250 === 249) {
      broken.push(lines.length + 1);
      add(`{"resourceType":"Observation","id":"b","note":"${padding}"`);
      continue;
    }
    // Every seventh is repeated in another slice: half of them older, and hidden.
    const again = index > 1000 && index % 7 === 0;
    const id = again ? `o${index - 1000}` : `o${index}`;
    const at = again && index % 2 === 0 ? dayOf(index - 4000) : dayOf(index);
    const code = `c${index}`;
    add(JSON.stringify(observation(id, code, at)));
    if (!(again && index % 2 === 0 && newest.has(id))) newest.set(id, code);
  }
  newest.delete('o5');
  const deletion = { request: { method: 'DELETE', url: 'Observation/o5' } };
  add(JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry: [deletion] }));
  const content = lines.join('\n');
  assert.ok(content.length > sliceBytes * 3);
  const [one, several] = [await withThreads(1, content), await withThreads(3, content)];
  assert.deepEqual(several.same, one.same);
  assert.deepEqual(
    several.warnings.map(({ line }) => line),
    broken,
  );
  assert.ok(broken.length >= 9, 'lines at the border are broken');
  const shown = await several.select('patient_id, id, code', 'observation');
  assert.deepEqual(new Map(shown.map((row) => [String(row['id']), String(row['code'])])), newest);
  const keys = shown.map((row) => `${row['patient_id']} ${row['id']}`);
  assert.deepEqual(keys, keys.toSorted());
  assert.deepEqual(
    (await several.select('resource_id, code', 'coding')).map((row) => [row['resource_id'], row['code']]),
    [...newest].toSorted(([, a], [, b]) => (a < b ? -1 : 1)),
  );
});

test('lines: the first broken one of several slices is reported, in any order of the threads', async () => {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify(observation(`o${index}`, 'c', dayOf(0))),
  );
  for (const line of [1990, 1500, 1003]) lines[line - 1] = '{"resourceType":"Observation"}';
  await assert.rejects(withThreads(3, lines.join('\n'), { onError: 'fail' }), (error) => {
    assert.ok(error instanceof InputError);
    assert.equal(error.line, 1003);
    return true;
  });
});

test('Bundle: one thread and several give the same files and warnings, and references by full URL are resolved', async () => {
  const entry = Array.from({ length: count }, (_, index) => ({
    fullUrl: `urn:uuid:${index}`,
    resource:
      index === 1900
        ? { resourceType: 'Patient', id: 'late' }
        : index === 1200
          ? 'broken'
          : {
              ...observation(`o${index}`, `c${index % 5}`, dayOf(0)),
              subject: { reference: 'urn:uuid:1900' },
            },
  }));
  const content = JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry }, null, 1);
  const [one, several] = [await withThreads(1, content), await withThreads(2, content)];
  assert.deepEqual(several.same, one.same);
  assert.deepEqual(
    several.warnings.map(({ message }) => message),
    ['entry 1201: left out: "resource" is not an object'],
  );
  const rows = await several.select('patient_id', 'observation');
  assert.equal(rows.length, count - 2);
  assert.ok(rows.every((row) => row['patient_id'] === 'late'));
});
