/** A cohort has the patients whose ids its statement returns, whatever characters these hold. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnSqlite, type Reply } from '../support/app.ts';
import { TestProject } from './project.ts';
import { vcfHeader } from './texts.ts';

/** Ids that a reader of texts may take for something else, many of them beside a plain twin. */
const ids = [
  ...["'p1'", 'p1', '"p2"', 'p2', 'A;1', 'MRN|1', 'a,b', 'a, b', 'tab\there', 'line\nbreak', 'cr\rhere'],
  ...['#comment', 'back\\slash', 'back', '"begun', 'ended"', 'in"side', 'https://a.example/Patient/1;v=2'],
  ...[' led', 'led', 'trailed ', 'NULL', 'null', 'patient_id', '0012', '12', '1e3', 'true', '2024-01-01'],
  ...['żółć', '😀', '\u00a0', '%00', '$1', '""', "''", "it's"],
];

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

describeOnSqlite('ids of the members of cohorts', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Ids');
    const samples = ids.map((patientId, at) => ({ sampleId: `S${at}`, patientId }));
    const genotypes = samples.map(() => '0/1').join('\t');
    const header = vcfHeader(samples.map(({ sampleId }) => sampleId).join('\t'));
    await project.take('s.vcf', `${header}1\t1000\t.\tA\tG\t50\tPASS\t.\tGT\t${genotypes}\n`, { samples });
  });

  const make = (statement: string): Promise<Reply> => {
    const query = { project: project.id, queryType: 'sql', query: { sql: statement } };
    const body = { name: 'Cohort', ownerProject: project.id, queries: [query] };
    return app.call('POST', '/v1/cohorts', { body });
  };
  /** Ids of the patients of the cohort that a statement makes. */
  const membersOf = async (statement: string): Promise<string[]> => {
    const made = await make(statement);
    assert.equal(made.status, 200, `${statement}: ${made.text}`);
    const body = { cohortId: made.body.id, query: { target: 'patient' } };
    const { data } = (await app.call('POST', '/v1/analytics/dsl', { body })).body;
    const members = data.patients.map(({ id }: { id: string }) => id);
    assert.equal(made.body.resultCount, members.length);
    return members;
  };

  test('a statement with one id makes a cohort of that patient and no other', async () => {
    // Ids never pass through the records, so one store suffices here; the tests below run on both.
    const one = app.settings['PLOIDY_DATABASE_URL'] === undefined ? ids : ids.slice(0, 3);
    for (const id of one) assert.deepEqual(await membersOf(`SELECT ${quoted(id)} AS patient_id`), [id]);
  });

  test('a statement with all ids makes a cohort of all patients', async () => {
    const members = await membersOf('SELECT patient_id FROM sequence');
    assert.deepEqual(members.toSorted(), ids.toSorted());
  });

  test('an id counts behind ever so many plain ones', async () => {
    for (const id of ['a,b', 'ended"', '"p2"', 'line\nbreak']) {
      const many = 'SELECT CAST(i AS VARCHAR) AS patient_id FROM range(100000, 130000) AS t(i)';
      const members = await membersOf(`${many} UNION ALL SELECT ${quoted(id)}`);
      assert.deepEqual(members, [id]);
    }
  });

  test('missing, empty and unknown ids match no patient', async () => {
    const statement = "SELECT unnest([NULL, '', 'NULL', 'a;b', '|', chr(0)]) AS patient_id FROM sequence";
    assert.deepEqual(await membersOf(statement), ['NULL']);
    assert.deepEqual(await membersOf("SELECT 'a;b' AS patient_id"), []);
    assert.deepEqual(await membersOf('SELECT patient_id FROM sequence WHERE false'), []);
  });

  test('ids that are no texts are the texts that they are written as', async () => {
    assert.deepEqual(await membersOf('SELECT 12 AS patient_id'), ['12']);
    assert.deepEqual(await membersOf("SELECT DATE '2024-01-01' AS patient_id"), ['2024-01-01']);
  });
});
