import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, vcfHeader } from '../../../../../../test/inputs/texts.ts';
import { type Kind, patients, policyOf } from '../../../../../../test/kept-rows/readers.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { keptSql } from '../../../../../../test/support/kept-sql.ts';
import { clientOf, dataFilesOf, type Loaded, look, type ObjectName } from './reader.fixture.ts';

const root = '/iceberg/v1';
const vcf = (sample: string): string => `${vcfHeader(sample)}1\t100\t.\tA\tG\t50\tPASS\t.\tGT\t0/1\n`;

describeApp('copies of Iceberg tables for readers of some rows', (app) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-audiences-'));
  let project: TestProject;
  let vcfOfLast: string;

  before(async () => {
    project = await TestProject.make(app.call, 'Audiences');
    await project.take('p.ndjson', fhirText('p', patients.length, 2));
    for (const [at, patientId] of patients.entries()) {
      const options = { patientId, genomeBuild: 'GRCh38' };
      vcfOfLast = await project.take(`${patientId}.vcf`, vcf(`s-${at}`), options);
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  async function readerOf(kind: Kind) {
    const person = await app.people.member(app.account, []);
    const body = { name: `Of ${person.userId}`, policy: policyOf(kind, person.userId) };
    const { id } = (await app.call('POST', '/v1/policies', { body })).body;
    const call: typeof app.call = (method, path, options) =>
      app.call(method, path, { key: person.key, ...options });
    const open = async (table: string): Promise<Loaded> => {
      const reply = await call('GET', `${root}/namespaces/audiences/tables/${table}`);
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };
    const become = async (later: Kind) => {
      const { status } = await app.call('PUT', `/v1/policies/${id}`, {
        body: { policy: policyOf(later, person.userId) },
      });
      assert.equal(status, 200);
    };
    return { call, open, become, theirs: project.as(call) };
  }

  const fileOf = async (loaded: Loaded): Promise<ObjectName> => {
    const [file, ...more] = await dataFilesOf(loaded);
    assert.ok(file && more.length === 0, 'one file');
    return file;
  };

  /** Counts the rows that only one of a copy and an answer to the same reader has. */
  async function differences(table: string, { open, call, theirs }: Awaited<ReturnType<typeof readerOf>>) {
    const loaded = await open(table);
    const { Body } = await clientOf(loaded).send(new GetObjectCommand(await fileOf(loaded)));
    const copy = join(folder, `${table}.copy.parquet`);
    writeFileSync(copy, (await Body?.transformToByteArray()) ?? new Uint8Array());
    const body = {
      query: `SELECT * FROM ${table}`,
      datasetId: project.id,
      outputFileName: 'a.parquet',
      format: 'parquet',
    };
    const { queryId } = (await call('POST', '/v1/analytics/data-lake/query', { body })).body;
    const { resultFileId } = await theirs.endOfQuery(queryId);
    const { downloadUrl } = (await call('GET', `/v1/files/${resultFileId}?include=downloadUrl`)).body;
    const answer = join(folder, `${table}.answer.parquet`);
    writeFileSync(answer, Buffer.from(await (await fetch(downloadUrl)).arrayBuffer()));
    const sql = await keptSql(256 * 2 ** 20);
    const only = (one: string, other: string) => `SELECT * FROM '${one}' EXCEPT ALL SELECT * FROM '${other}'`;
    const [rows, different] = await Promise.all([
      sql.text(`SELECT count(*)::VARCHAR FROM '${copy}'`),
      sql.text(`SELECT count(*)::VARCHAR FROM ((${only(copy, answer)}) UNION ALL (${only(answer, copy)}))`),
    ]);
    const { 'total-records': total } = loaded.metadata.snapshots[0]?.summary ?? {};
    return { rows, total, different };
  }

  for (const [kind, count] of [
    ['some', '2'],
    ['masked', '4'],
    ['mixed', '4'],
  ] as const)
    test(`a reader of "${kind}" reads in each table what a statement shows`, async () => {
      const reader = await readerOf(kind);
      const { body } = await reader.call('GET', `${root}/namespaces/audiences/tables`);
      const names = body.identifiers.map(({ name }: { name: string }) => name);
      assert.ok(names.includes('patient') && names.includes('variant'), String(names));
      for (const table of ['patient', 'observation', 'variant', 'resource']) {
        const { rows, total, different } = await differences(table, reader);
        assert.deepEqual([different, total], ['0', rows], table);
        if (table === 'patient' || table === 'variant') assert.equal(rows, count, table);
      }
    });

  test('readers with equal rights share a copy, and objects of other readers stay closed', async () => {
    const [one, other, all] = [await readerOf('some'), await readerOf('some'), await readerOf('all')];
    const loaded = await one.open('patient');
    const file = await fileOf(loaded);
    assert.deepEqual(await fileOf(await other.open('patient')), file);
    const whole = await all.open('patient');
    const client = clientOf(loaded);
    for (const foreign of await dataFilesOf(whole)) assert.equal(await look(client, foreign), 404);
    assert.equal(
      await look(client, { ...file, Key: new URL(whole['metadata-location']).pathname.slice(1) }),
      404,
    );
    assert.equal(await look(clientOf(whole), file), 404);
    assert.equal(await look(client, file), 200);
  });

  test('a copy ends with the rights of its reader, and with rows of any table', async () => {
    const { open, become } = await readerOf('others');
    const loaded = await open('variant');
    const [client, file] = [clientOf(loaded), await fileOf(loaded)];
    assert.equal(await look(client, file), 200);
    for (const later of ['some', 'masked', 'all', 'none'] as const) {
      await become(later);
      assert.equal(await look(client, file), 403, later);
    }
    await become('others');
    assert.equal(await look(client, file), 200);
    const observations = await open('observation');
    const of = await fileOf(observations);
    assert.equal((await app.call('DELETE', `/v1/files/${vcfOfLast}`)).status, 204);
    assert.deepEqual([await look(client, file), await look(clientOf(observations), of)], [404, 404]);
    assert.equal((await open('variant')).metadata.snapshots[0]?.summary['total-records'], '1');
  });
});

describeApp(
  'Iceberg tables where small counts are withheld',
  (app) => {
    test('a reader of masked rows may only count, and opens nothing', async () => {
      const project = await TestProject.make(app.call, 'Counted');
      await project.take('p.ndjson', fhirText('p', 2));
      const { key } = await app.people.member(app.account, ['readMaskedData']);
      assert.deepEqual((await app.call('GET', `${root}/namespaces`, { key })).body, { namespaces: [] });
      const { status, body } = await app.call('GET', `${root}/namespaces/counted/tables/patient`, { key });
      assert.equal(status, 403);
      assert.match(body.error.message, /only counts/);
    });
  },
  { PLOIDY_SMALL_COUNTS_MIN: '2' },
);
