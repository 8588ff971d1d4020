import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type ResultFormat, resultFormats } from '@ploidy/engine';
import { tableFromIPC } from 'apache-arrow';
import { TestProject, type Work } from '../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../test/support/app.ts';
import { keptSql } from '../../../../../test/support/kept-sql.ts';
import { splitName } from './result-format.ts';

const path = '/v1/analytics/data-lake/query';
const everything = 'select columns(*)::varchar from patient order by patient_id';
const contentTypes: Record<ResultFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
  ndjson: 'application/x-ndjson',
};

test('the number of a repeated name goes before the ending, but for CSV', () => {
  assert.deepEqual(splitName('a/b.csv', 'csv'), ['a/b.csv', '']);
  assert.deepEqual(splitName('a/b.parquet', 'parquet'), ['a/b', '.parquet']);
  for (const name of ['a.b/c', '.hidden', 'a/.hidden'])
    assert.deepEqual(splitName(name, 'arrow'), [name, '']);
});

describeApp('formats of results', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Formats');
    await project.take('p.ndjson', fhirText('p', 3, 1));
  });

  const post = (format: unknown, query = everything, name = `r.${format}`, key = app.key): Promise<Reply> =>
    app.call('POST', path, {
      body: { query, datasetId: project.id, outputFileName: name, format },
      key,
    });

  async function resultOf(format: ResultFormat, key = app.key, query = everything) {
    const started = await post(format, query, `${format}/r.${format}`, key);
    assert.equal(started.status, 200, started.text);
    const end: Work = await project.endOfQuery(started.body.queryId);
    assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
    const headers = { authorization: key, 'service-account': app.account };
    const response = await fetch(`${app.address}/v1/files/${end.id}`, { headers });
    return {
      end,
      type: response.headers.get('content-type'),
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  }

  /** Returns the rows of a result whose columns are all texts. */
  async function rowsOf(format: ResultFormat, bytes: Buffer): Promise<Record<string, unknown>[]> {
    if (format === 'arrow')
      return tableFromIPC(bytes)
        .toArray()
        .map((row) => row.toJSON());
    if (format === 'ndjson')
      return String(bytes)
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    const file = join(app.folder, `read.${format}`);
    await writeFile(file, bytes);
    const read = {
      parquet: `read_parquet('${file}')`,
      csv: `read_csv('${file}', all_varchar = true, nullstr = '', allow_quoted_nulls = false)`,
    };
    return (await keptSql(256 << 20)).rows(`FROM ${read[format]}`);
  }

  test('masked and unmasked readers get equal rows in every format, with its media type', async () => {
    const masked = await app.people.member(app.account, ['readMaskedData']);
    const seen: string[] = [];
    for (const key of [app.key, masked.key]) {
      const results = [];
      for (const format of resultFormats) {
        const { type, bytes, end } = await resultOf(format, key);
        assert.equal(type, contentTypes[format]);
        assert.equal(end.rowCount, 3);
        results.push(await rowsOf(format, bytes));
      }
      const [first, ...others] = results;
      for (const [index, other] of others.entries())
        assert.deepEqual(other, first, `${resultFormats[index + 1]} is as ${resultFormats[0]}`);
      seen.push(JSON.stringify(first));
    }
    assert.notEqual(seen[0], seen[1], 'values are masked');
  });

  test('results of one name keep the ending of their format', async () => {
    for (const expected of ['n.parquet', 'n(2).parquet', 'n(3).parquet']) {
      const { body } = await post('parquet', 'select 1 as one', 'n.parquet');
      assert.equal((await project.endOfQuery(body.queryId)).outputFileName, expected);
    }
  });

  test('timestamps have all digits, and no zone where they have none, when a statement asks for that', async () => {
    const query =
      "SELECT TIMESTAMP '2020-01-02 03:04:05.678901' AS t, CAST('1970-01-01 00:00:00+00' AS TIMESTAMP WITH TIME ZONE) AS z";
    const asked = { query, datasetId: project.id };
    const expected = { utc: '2020-01-02T03:04:05.678Z', exact: '2020-01-02T03:04:05.678901' };
    const zoned = { utc: '1970-01-01T00:00:00.000Z', exact: '1970-01-01T00:00:00.000000Z' };
    for (const timestamps of ['utc', 'exact'] as const) {
      const [t, z] = [expected[timestamps], zoned[timestamps]];
      const rows = await app.call('POST', '/v1/analytics/data-lake/rows', { body: { ...asked, timestamps } });
      assert.deepEqual(rows.body.rows, [[t, z]]);
      for (const [format, text] of [
        ['csv', `t,z\n${t},${z}\n`],
        ['ndjson', `{"t":"${t}","z":"${z}"}\n`],
      ]) {
        const body = { ...asked, outputFileName: `t.${format}`, format, timestamps };
        const { id } = await project.endOfQuery((await app.call('POST', path, { body })).body.queryId);
        assert.equal((await app.call('GET', `/v1/files/${id}`)).text, text);
      }
    }
  });

  test('an unknown format or field is refused with its name', async () => {
    const unknown = await post('xlsx');
    assert.deepEqual([unknown.status, unknown.body.code], [400, 'INVALID_INPUT']);
    assert.equal(unknown.body.details[0].path, 'body/format');
    const body = { query: 'select 1', datasetId: project.id, outputFileName: 'r.csv', fromat: 'parquet' };
    const misspelt = await app.call('POST', path, { body });
    assert.deepEqual(misspelt.body.details, [{ path: 'body/fromat', message: 'is not known' }]);
  });

  test('a statement that fails leaves no file in any format', async () => {
    for (const format of resultFormats) {
      const { body } = await post(format, 'select cast(patient_id as int) from patient', `failed.${format}`);
      const { state, error } = await project.endOfQuery(body.queryId);
      assert.deepEqual([state, error?.code], ['failed', 'QUERY_SQL']);
      assert.deepEqual(await project.fileNames(`failed.${format}`), []);
    }
  });
});
