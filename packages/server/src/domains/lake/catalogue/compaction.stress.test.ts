/** Merging has no effect on rows that are queried, replaced, deleted or moved. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, omicTexts, vcfHeader, vcfRecord, vcfText } from '../../../../../../test/inputs/texts.ts';
import { describeOnPostgres } from '../../../../../../test/support/app.ts';
import { quickJobs } from '../../../../../../test/support/jobs.ts';
import { until } from '../../../../../../test/support/until.ts';
import { diskBlobs } from '../../../platform/blobs/index.ts';
import { queueCompactions } from './compaction.ts';
import { sweepSegments } from './sweep.ts';

const filesMin = 3;
const merged =
  'variant copynumber fusion gene sequence patient observation medication cohort _resource coding _medication'.split(
    ' ',
  );
const endless = 'select count(*) from variant, range(100000000000000) t(i) where i % 7 = 3';

const patient = (id: string, gender: string, lastUpdated: string): string =>
  `${JSON.stringify({ resourceType: 'Patient', id, gender, meta: { lastUpdated } })}\n`;

/** Makes a Medication and a request of another one, which may be in another file. */
const medication = (number: number, wanted: number): string =>
  [
    { resourceType: 'Medication', id: `m${number}`, code: { text: `Drug ${number}` } },
    {
      resourceType: 'MedicationRequest',
      id: `r${number}`,
      subject: { reference: 'Patient/all' },
      medicationReference: { reference: `Medication/m${wanted}` },
    },
  ]
    .map((resource) => `${JSON.stringify(resource)}\n`)
    .join('');

type State = Record<
  | 'variant'
  | 'copynumber'
  | 'fusion'
  | 'gene'
  | 'demographic'
  | 'observation'
  | 'sequence'
  | 'medication'
  | 'cohort',
  string[]
>;

describeOnPostgres(
  'merged files',
  (app) => {
    let project: TestProject;
    let files: string[];
    const records = () => app.people.records;

    before(async () => {
      project = await TestProject.make(app.call, 'Merged');
      files = [];
      for (const number of [0, 1, 2]) {
        files.push(await project.take(`s${number}.vcf`, vcfText(`s${number}`, 50 + number)));
        for (const kind of ['copynumber', 'fusion', 'expression'] as const)
          await project.take(`t${number}.${kind}`, omicTexts[kind](`t${number}`));
        const newer = patient(
          'all',
          ['male', 'female', 'other', 'unknown'][number] ?? '',
          `2024-0${4 - number}-01T00:00:00Z`,
        );
        const given = medication(number, (number + 1) % 3);
        files.push(await project.take(`c${number}.ndjson`, fhirText(`c${number}`, 4, 2) + newer + given));
        const body = {
          name: `Cohort ${number}`,
          ownerProject: project.id,
          subjectIds: ['all', `c${number}-0`],
        };
        assert.equal((await app.call('POST', '/v1/cohorts', { body })).status, 200);
      }
    });

    /** Runs the merge at once instead of waiting for the periodic check. */
    async function merge(): Promise<void> {
      const jobs = quickJobs(records());
      await until(async () => {
        await queueCompactions(records(), jobs, { filesMin, rowsMax: 1_000_000 });
        const lakes = await records().read.selectFrom('lakes').selectAll().execute();
        return lakes.every(({ version, compacted_version }) => version === compacted_version);
      }, 'all is merged');
    }

    const visible = (table: string) =>
      records()
        .read.selectFrom('segments')
        .selectAll()
        .where('project_id', '=', project.id)
        .where('table_name', '=', table)
        .where('removed_version', 'is', null)
        .execute();
    const blobsOf = async (table: string) => new Set((await visible(table)).map(({ blob_key }) => blob_key));

    /** State at the end of the previous test, from which the next one continues. */
    let last: State;

    /** Reads everything that merging could break: rows, versions, samples and the order of files. */
    async function state(): Promise<State> {
      const lines = await project.ask(`
        select 'variant', sample_id, count(*) || '/' || sum(position) from variant group by all union all
        select 'copynumber', sample_id, gene || '/' || copy_number from copynumber union all
        select 'fusion', sample_id, gene1 || '/' || gene2 from fusion union all
        select 'gene', sample_id, gene_name || '/' || expression from gene union all
        select 'demographic', patient_id, gender from demographic union all
        select 'observation', patient_id, count(*)::varchar from observation group by all union all
        select 'sequence', id, patient_id from sequence union all
        select 'medication', id, text from medication union all
        select 'cohort', cohort_id, patient_id from cohort order by all`);
      const of = (table: string): string[] =>
        lines.filter((line) => line.startsWith(table)).map((line) => line.slice(table.length + 1));
      last = {
        variant: of('variant'),
        copynumber: of('copynumber'),
        fusion: of('fusion'),
        gene: of('gene'),
        demographic: of('demographic'),
        observation: of('observation'),
        sequence: of('sequence'),
        medication: of('medication'),
        cohort: of('cohort'),
      };
      return last;
    }

    test('concurrent checks of several services queue one job a table and announce no other', async () => {
      const busy = await TestProject.make(app.call, 'Looked at');
      for (const number of [0, 1, 2]) await busy.take(`b${number}.vcf`, vcfText(`b${number}`, 3));
      const jobs = quickJobs(records());
      const made: (string | undefined)[] = [];
      const counted: typeof jobs.add = (tx, job) => {
        if (job.payload['projectId'] === busy.id) made.push(job.payload['table']);
        return jobs.add(tx, job);
      };
      const limits = { filesMin, rowsMax: 1_000_000 };
      const look = () =>
        queueCompactions(records(), { add: counted, cancel: (tx, id) => jobs.cancel(tx, id) }, limits);
      await Promise.all([look(), look(), look()]);
      // None where the service looked first.
      assert.equal(new Set(made).size, made.length, made.join());
      await merge();
      const merges = records().read.selectFrom('lake_merges').selectAll().where('project_id', '=', busy.id);
      const tables = (await merges.execute()).map(({ table_name, job_id }) => `${table_name} ${job_id}`);
      assert.deepEqual(tables.sort(), ['sequence null', 'variant null', 'variant_call null']);
    });

    test('merging keeps and sorts the rows of every table and leaves too few files to merge again', async () => {
      const seen = await state();
      assert.match(seen.variant[0] ?? '', /^s0,50\//);
      assert.ok(seen.demographic.includes('all,male'), 'the newest version, though it came first');
      assert.deepEqual(seen.medication, ['r0,Drug 1', 'r1,Drug 2', 'r2,Drug 0']);
      assert.equal(seen.cohort.length, 6);
      assert.deepEqual([seen.copynumber.length, seen.fusion.length, seen.gene.length], [6, 3, 3]);
      await merge();
      // The service may have merged the first files before the last ones arrived.
      for (const table of merged) assert.ok((await blobsOf(table)).size < filesMin, table);
      assert.deepEqual(await state(), seen);
      const ordered = (await project.ask('select position, * from variant')).map((line) => line.split(','));
      const positions = ordered.map(([position]) => Number(position));
      assert.deepEqual(
        positions,
        positions.toSorted((a, b) => a - b),
      );
      assert.equal(ordered[0]?.length, 1 + 30, 'no column of ours');
    });

    test('deleting a file removes exactly its rows from merged files, at once and from the disk', async () => {
      const remove = async (file: string | undefined) =>
        assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
      const before = last;
      await remove(files[0]);
      await remove(files[1]);
      const after = await state();
      assert.deepEqual(after.variant, before.variant.slice(1));
      assert.deepEqual(after.sequence, before.sequence.slice(1));
      assert.ok(after.demographic.includes('all,female'), 'the version before it counts again');
      assert.deepEqual(
        after.observation,
        before.observation.filter((line) => !line.startsWith('c0-')),
      );
      await merge();
      assert.ok(
        (await visible('variant')).every(({ file_rows }) => file_rows === 51 + 52),
        'written without them',
      );
      assert.deepEqual(await state(), after);
    });

    test('ingesting a file again replaces its rows in merged files', async () => {
      const before = last;
      await project.take('s1.vcf', vcfText('s1', 7));
      const after = await state();
      assert.deepEqual(after.variant.slice(1), before.variant.slice(1));
      assert.match(after.variant[0] ?? '', /^s1,7\//);
      assert.equal(await project.count('variant'), 7 + 52);
      await merge();
      assert.deepEqual(await state(), after);
    });

    test('a moved file removes its rows from merged files and leaves no bytes behind', async () => {
      const before = last;
      const other = await TestProject.make(app.call, 'Other');
      const moved = files[4];
      const reply = await app.call('PATCH', `/v1/files/${moved}`, { body: { datasetId: other.id } });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(
        (await state()).variant,
        before.variant.filter((line) => !line.startsWith('s2,')),
      );
      assert.deepEqual(await other.ask('select sample_id, count(*) from variant group by 1'), ['s2,52']);
      const segments = await records()
        .read.selectFrom('segments')
        .selectAll()
        .where('project_id', '=', other.id)
        .execute();
      assert.ok(
        segments.length > 0 && segments.every(({ file_rows }) => file_rows === null),
        'files of their own',
      );
      await merge();
      assert.deepEqual(await other.ask('select sample_id, count(*) from variant group by 1'), ['s2,52']);
    });

    test('a running query keeps the files of its version, and other files are removed', async () => {
      const age = () =>
        records().transact((tx) =>
          tx.updateTable('segments').set({ removed_at: 0 }).where('removed_at', 'is not', null).execute(),
        );
      const blobs = await diskBlobs({ folder: join(app.folder, 'blobs'), records: app.people.records });
      const query = await project.startQuery(endless);
      const held = [...(await blobsOf('variant'))];
      for (const number of [1, 2, 3])
        await project.take(`x${number}.vcf`, vcfHeader(`x${number}`) + vcfRecord(5));
      await merge();
      assert.notDeepEqual([...(await blobsOf('variant'))], held);
      await age();
      await sweepSegments(records(), blobs, new AbortController().signal);
      const paths = held.map((key) => join(app.folder, 'blobs', key.slice(0, 2), key));
      assert.ok(
        paths.every((path) => existsSync(path)),
        'held by the query',
      );
      assert.equal((await project.cancelQuery(query)).status, 200);
      await sweepSegments(records(), blobs, new AbortController().signal);
      assert.ok(
        paths.every((path) => !existsSync(path)),
        'nobody holds them',
      );
      const keys = await records().read.selectFrom('segments').select('blob_key').execute();
      const named = await records().read.selectFrom('files').select('blob_key').execute();
      const known = new Set([...keys, ...named].map(({ blob_key }) => blob_key));
      assert.deepEqual(
        globSync('blobs/??/*', { cwd: app.folder }).filter((path) => !known.has(path.slice(-32))),
        [],
      );
      await until(() => readdirSync(join(app.folder, 'blobs/scratch')).length === 0, 'nothing is left');
    });

    test('concurrent ingestions, deletions, queries and merges neither lose nor double a row', async () => {
      const crowd = await TestProject.make(app.call, 'Crowd');
      const taken: string[] = [];
      for (let round = 0; round < 2; round += 1) {
        const names = [0, 1, 2].map((number) => `r${round}-${number}`);
        await Promise.all([
          ...names.map(async (name) => void taken.push(await crowd.take(`${name}.vcf`, vcfText(name, 5)))),
          merge(),
        ]);
        const [first] = taken.splice(0, 1);
        const [, rows] = await Promise.all([
          app.call('DELETE', `/v1/files/${first}`),
          crowd.ask('select sample_id, count(*) from variant group by 1'),
          merge(),
        ]);
        assert.ok(
          rows.every((line) => line.endsWith(',5')),
          String(rows),
        );
      }
      await merge();
      assert.equal(await crowd.count('variant'), taken.length * 5);
    });
  },
  // One thread: a query that never ends then occupies one core only.
  { PLOIDY_COMPACTION_FILES: String(filesMin), PLOIDY_THREADS: '1' },
);
