import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';

const rowsCount = 500;
const data = `SELECT n, CASE WHEN n % 7 = 0 THEN NULL ELSE 'Code ' || CAST(n % 13 AS VARCHAR) END AS code,
  CAST(n % 17 AS DOUBLE) / 4 AS share, date_add('day', n % 40, DATE '2020-02-20') AS day
  FROM (SELECT unnest(sequence(1, ${rowsCount})) AS n) ORDER BY n % 11, n`;

describeApp('rows of a result', (app) => {
  let project: TestProject;
  let result: string;

  before(async () => {
    project = await TestProject.make(app.call, 'Results');
    await project.take('p.ndjson', fhirText('p', 3, 1));
    result = await resultOf(data);
  });

  const resultOf = async (query: string, format = 'parquet', key = app.key): Promise<string> => {
    const body = { query, datasetId: project.id, outputFileName: `r.${format}`, format };
    const started = await app.call('POST', '/v1/analytics/data-lake/query', { body, key });
    assert.equal(started.status, 200, started.text);
    const ended = await project.endOfQuery(started.body.queryId);
    assert.equal(ended.state, 'succeeded', JSON.stringify(ended));
    return started.body.queryId;
  };
  const ask = (part: string, body: object, id = result, key = app.key): Promise<Reply> =>
    app.call('POST', `/v1/files/${id}/${part}`, { body, key });
  const plain = async (query: string): Promise<unknown[][]> => {
    const body = { datasetId: project.id, pageSize: 10_000, query };
    const reply = await app.call('POST', '/v1/analytics/data-lake/rows', { body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.rows;
  };

  const columns = ['n', 'code', 'share', 'day'] as const;
  const values = { n: '250', code: 'Code 7', share: '2.25', day: '2020-03-01' };
  const types = { n: 'INTEGER', code: 'VARCHAR', share: 'DOUBLE', day: 'DATE' };
  const column = fc.constantFrom(...columns);
  const filter = fc.record({
    column,
    comparison: fc.constantFrom(
      'equals',
      'notEquals',
      'notLess',
      'notGreater',
      'missing',
      'present',
      'contains',
    ),
  });
  const request = fc.record({
    filters: fc.array(filter, { maxLength: 2 }),
    orderBy: fc.uniqueArray(fc.record({ column, descending: fc.boolean() }), {
      maxLength: 2,
      selector: (one) => one.column,
    }),
    search: fc.constantFrom('', 'CODE 1', '2020-03', 'absent'),
    offset: fc.nat(rowsCount + 20),
    pageSize: fc.integer({ min: 1, max: 120 }),
  });
  type Choice = typeof request extends fc.Arbitrary<infer T> ? T : never;
  const signs: Record<string, string> = { equals: '=', notEquals: '<>', notLess: '>=', notGreater: '<=' };
  const conditionOf = ({ column, comparison }: { column: (typeof columns)[number]; comparison: string }) => {
    if (comparison === 'missing') return `${column} IS NULL`;
    if (comparison === 'present') return `${column} IS NOT NULL`;
    const value = values[column];
    if (comparison === 'contains')
      return `strpos(lower(CAST(${column} AS VARCHAR)), '${value.toLowerCase()}') > 0`;
    return `${column} ${signs[comparison]} CAST('${value}' AS ${types[column]})`;
  };

  test('pages, order, filters, search, counts and CSV are those of plain SQL over the same rows', async () => {
    const check = async ({ filters, orderBy, search, offset, pageSize }: Choice) => {
      const found = columns.map(
        (one) => `strpos(lower(CAST(${one} AS VARCHAR)), '${search.toLowerCase()}') > 0`,
      );
      const conditions = [
        ...filters.map(conditionOf),
        ...(search === '' ? [] : [`(${found.map((one) => `coalesce(${one}, false)`).join(' OR ')})`]),
      ];
      const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
      const keys = [
        ...orderBy.map((one) => `${one.column} ${one.descending ? 'DESC' : 'ASC'} NULLS LAST`),
        'n % 11',
        'n',
      ];
      const all = await plain(`SELECT * FROM (${data}) AS d ${where} ORDER BY ${keys.join(', ')}`);
      const choice = {
        filters: filters.map((one) => ({
          ...one,
          ...(!['missing', 'present'].includes(one.comparison) && { value: values[one.column] }),
        })),
        search,
      };
      const page = await ask('rows', { ...choice, orderBy, offset, pageSize });
      assert.equal(page.status, 200, page.text);
      assert.deepEqual(page.body.rows, all.slice(offset, offset + pageSize));
      const summary = await ask('summary', choice);
      assert.equal(summary.body.rowCount, all.length);
      const csv = await ask('rows', { ...choice, orderBy, format: 'csv' });
      const [head, ...lines] = csv.text.trimEnd().split('\n');
      assert.equal(head, columns.join(','));
      assert.deepEqual(
        lines.map((line) => line.split(',')[0]),
        all.map(([n]) => String(n)),
      );
    };
    await fc.assert(fc.asyncProperty(request, check), { numRuns: 12 });
  });

  test('measures of columns are those of plain SQL, without those that a type does not have', async () => {
    const measured = async (column: string) => (await ask('summary', { column })).body.measures;
    const [share = []] = await plain(
      `SELECT count(*) - count(share), count(DISTINCT share), min(share), max(share) FROM (${data}) AS d`,
    );
    const { missing, distinct, min, max, median } = await measured('share');
    assert.deepEqual([missing, distinct, min, max], share);
    assert.equal(median, 2);
    const code = await measured('code');
    assert.deepEqual([code.missing, code.distinct, code.min, code.median], [71, 13, 'Code 0', null]);
    assert.equal((await measured('day')).max, '2020-03-30');
  });

  test('unknown columns, values of another type and files that are no such result are refused', async () => {
    const refused = async (part: string, body: object, id = result) => {
      const reply = await ask(part, body, id);
      return [reply.status, reply.body.code];
    };
    assert.deepEqual(await refused('rows', { orderBy: [{ column: 'N' }] }), [400, 'INVALID_INPUT']);
    const filters = [{ column: 'n', comparison: 'equals', value: "1'; DROP" }];
    assert.deepEqual(await refused('rows', { filters }), [422, 'QUERY_SQL']);
    assert.deepEqual(await refused('summary', { filters: [{ column: 'n', comparison: 'equals' }] }), [
      400,
      'INVALID_INPUT',
    ]);
    const csv = await resultOf('SELECT 1 AS one', 'csv');
    assert.deepEqual(await refused('rows', {}, csv), [422, 'RESULT_NOT_PAGED']);
    const file = await app.put(project.id, 'rows.parquet', 'PAR1');
    assert.deepEqual(await refused('rows', {}, file), [422, 'RESULT_NOT_PAGED']);
  });

  test('a reader of masked data pages own results, and not those of others', async () => {
    const { key } = await app.people.member(app.account, ['readMaskedData']);
    const own = await resultOf('SELECT patient_id, dob FROM patient', 'parquet', key);
    assert.equal((await ask('rows', {}, own, key)).body.rows.length, 3);
    assert.equal((await ask('rows', {}, result, key)).status, 403);
    assert.equal((await ask('summary', {}, result, key)).status, 403);
  });
});
