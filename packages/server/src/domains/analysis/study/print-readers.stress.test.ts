import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { tarGz } from '../../../../../converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../../../../converters/src/study/study-folder.fixture.ts';

const genes = ['TP53', 'KRAS', 'EML4'];

/** Cells of altered samples by plain SQL, as the code of an oncoprint orders them. */
const cellsSql = `SELECT gene, sample_id, count(*) FILTER (kind = 'mutation') AS m, count(*) FILTER (kind = 'copy_number') AS c,
  count(*) FILTER (kind = 'fusion') AS f FROM alteration
  WHERE gene IN ('TP53', 'KRAS', 'EML4') AND (class IS NULL OR class NOT IN ('gain', 'loss')) GROUP BY gene, sample_id ORDER BY gene, sample_id`;
/** Samples profiled for mutations of EML4, which no panel of the study has. */
const profiledSql = `SELECT DISTINCT sample_id FROM sample_profile WHERE kind = 'mutation' AND panel_id IS NULL ORDER BY sample_id`;

describeApp('oncoprints of readers', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Prints');
    await project.take('study.tar.gz', tarGz(studyFolder(40).files));
  });

  for (const [who, privilege, restriction] of [
    ['of all data', 'readData', undefined],
    [
      'of some patients',
      'readData',
      { 'resource.subject': { comparison: 'in', value: ['P-0', 'P-1', 'P-3', 'P-6'] } },
    ],
    ['of masked data', 'readMaskedData', undefined],
  ] as const) {
    test(`a reader ${who} has the cells that the same reader finds by SQL`, async () => {
      const { key } = await app.people.member(app.account, [privilege], restriction);
      const own = project.as((method, path, options) => app.call(method, path, { key, ...options }));
      const body = {
        ...{ datasetId: project.id, unit: 'sample' },
        aggregates: [
          { id: 'print', kind: 'oncoprint', genes },
          { id: 'pairs', kind: 'pairs', genes: ['TP53', 'KRAS'] },
        ],
      };
      const { status, text, body: answer } = await own.call('POST', '/v1/analytics/study/query', { body });
      assert.equal(status, 200, text);
      const { subjects, genes: rows, patterns, patternOf } = answer.results.print.oncoprint;
      const found = rows.flatMap(({ gene, cells }: { gene: string; cells: string }) => {
        const bytes = Buffer.from(cells, 'base64');
        return Array.from({ length: bytes.length / 4 }, (_, at) => {
          const code = bytes.readUInt16BE(4 * at + 2);
          const kinds = [code & 63, (code >> 6) & 31, code >> 11].map((part) => (part > 0 ? 1 : 0));
          return [gene, subjects[bytes.readUInt16BE(4 * at)], ...kinds].join();
        });
      });
      const altered = (await own.ask(cellsSql)).map((line) => {
        const [gene, sample, ...counts] = line.trim().replaceAll('"', '').split(',');
        return [gene, sample, ...counts.map((count) => (Number(count) > 0 ? 1 : 0))].join();
      });
      assert.deepEqual(found.sort(), altered.sort());
      assert.ok(found.length > 3);
      const profiled = subjects.filter(
        (_: string, at: number) => (Number(patterns[Number(patternOf.split(',')[at])]?.[2]) & 1) > 0,
      );
      const bySql = (await own.ask(profiledSql)).map((line) => line.trim().replaceAll('"', ''));
      assert.deepEqual(profiled.sort(), bySql.sort());
      const [{ both, firstOnly, secondOnly, neither, leftOut }] = answer.results.pairs.pairs.items;
      assert.equal(both + firstOnly + secondOnly + neither + leftOut, subjects.length);
      if (privilege === 'readMaskedData') assert.doesNotMatch(text, /P-\d/);
    });
  }

  test('two hundred genes are answered, one more is refused with its place', async () => {
    const many = (count: number) => ({
      ...{ datasetId: project.id, unit: 'sample' },
      aggregates: [{ id: 'x', kind: 'oncoprint', genes: Array.from({ length: count }, (_, at) => `G${at}`) }],
    });
    const full = await app.call('POST', '/v1/analytics/study/query', { body: many(200) });
    assert.equal(full.body.results.x.oncoprint.genes.length, 200, full.text);
    const refused = await app.call('POST', '/v1/analytics/study/query', { body: many(201) });
    assert.deepEqual([refused.status, refused.body.details[0].path], [400, 'body/aggregates/0/genes']);
  });
});
