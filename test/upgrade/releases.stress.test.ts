/**
 * Frozen data folders of all releases, opened by this version: same rows and answers for every caller, on both stores. A backup has
 * one form on both: that of each is restored on the other.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { version } from '../../packages/server/src/base/version.ts';
import { admin, emptyPlace, newFolder, type Settings } from '../backup/operator.ts';
import { MortalService } from '../crash/mortal-service.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { postgresSkip } from '../support/postgres.ts';
import { until, workLooksMs } from '../support/until.ts';
import { place } from './frozen/archive.ts';
import { clockAt } from './frozen/clock.ts';
import { dataOf } from './frozen/place.ts';
import { askAll, lacks, withoutProse } from './frozen/questions.ts';
import { type Expected, frozen, releases } from './frozen/release.ts';
import { renew, signIn } from './frozen/signing-in.ts';

const stores = ['sqlite', 'postgres'] as const;

for (const release of releases) {
  for (const store of stores) {
    const skip = store === 'postgres' && postgresSkip;
    test(`data of ${release} on ${store} has the rows, answers and unfinished work that it had`, {
      skip,
    }, async (context) => {
      const data = frozen(release, store);
      const { expected } = data;
      const service = await open(context, await dataOf(context, data, store), expected);
      await requireAnswers(service, expected);
      assert.ok(
        await renew(service.server.baseUrl, expected.refreshToken),
        'a sign-in of the release goes on',
      );
      await requireEnds(service, expected);
      await requireGenes(service);
      await requireWork(service, expected);
    });

    const target = store === 'sqlite' ? 'postgres' : 'sqlite';
    test(`a backup of ${release} on ${store} is restored on ${target}, with its answers and unfinished work`, {
      skip: postgresSkip,
    }, async (context) => {
      const { files, expected } = frozen(release, store);
      const settings = { ...(await emptyPlace(context, target)), ...clockAt(expected.madeAt) };
      const backup = newFolder(context);
      place(files, 'backup/', backup);
      const restored = await admin(settings, 'restore', backup);
      assert.equal(restored.code, 0, restored.err);
      // The address and key of the first start, which are in no backup.
      place(files, 'data/first-run.json', join(settings['PLOIDY_DATA_DIR'] ?? '', 'first-run.json'));
      const service = await open(context, settings, expected);
      await requireAnswers(service, expected);
      await requireEnds(service, expected);
      await requireWhole(service, expected);
    });
  }
}

async function open(context: TestContext, at: Settings, expected: Expected): Promise<MortalService> {
  const { PLOIDY_DATA_DIR: folder, ...settings } = at;
  const service = await MortalService.startIn(folder, {
    ...expected.settings,
    ...clockAt(expected.madeAt),
    ...settings,
  });
  context.after(() => service.end());
  return service;
}

/** Requires the release's answers for every caller. */
async function requireAnswers(
  service: MortalService,
  { version: then, senders, questions: all }: Expected,
  from = Object.keys(senders),
): Promise<void> {
  // Some answers name the version of their service.
  const nowNamed = (answer: unknown) =>
    JSON.parse(JSON.stringify(answer).replaceAll(`"${then}"`, `"${version}"`));
  const questions = all.filter(({ sender }) => from.includes(sender));
  const answers = await askAll(service.server.baseUrl, senders, questions);
  const found = questions.flatMap((question, at) => {
    const { sender, method, path, answer } = question;
    const expected = nowNamed(withoutProse(question, answer));
    return lacks(expected, answers[at]).map((what) => `${sender}: ${method} ${path}: ${what}`);
  });
  // Rows derived of older files are new data, for which cohorts are counted again.
  const isRecounted = (line: string): boolean => /countedTime: "[^"]+" instead of "[^"]+"$/.test(line);
  // Tables name the order of their rows since 0.2.0.
  const isSorted = (line: string): boolean =>
    /(?:default-sort-order-id|sort-orders\/0\/order-id): 1 instead of 0$/.test(line);
  assert.deepEqual(
    found.filter((line) => !isRecounted(line) && !isSorted(line)),
    [],
  );
}

/** Work that ran or waited when the release was killed ends, with all of its rows. */
async function requireEnds({ call }: MortalService, { unfinished, afterwards }: Expected): Promise<void> {
  for (const path of unfinished) {
    await until(
      async () => !['queued', 'running'].includes((await call('GET', path)).body.state),
      `${path} ended`,
      workLooksMs,
    );
    const { body } = await call('GET', path);
    assert.equal(body.state, 'succeeded', JSON.stringify(body));
  }
  const project = TestProject.at(call, afterwards.projectId);
  const { patients, observations } = afterwards;
  assert.deepEqual(await project.counts('patient', 'observation'), [patients, observations]);
}

/** Requires genes of studies of the projects that have copy numbers: their files are older than alterations. */
async function requireGenes({ call }: MortalService): Promise<void> {
  const { items } = (await call('GET', '/v1/projects')).body;
  const { id } = items.find(({ name }: { name: string }) => name === 'Samples');
  const listed = () => call('GET', `/v1/analytics/study/attributes?datasetId=${id}`);
  await until(async () => (await listed()).body.deriving === undefined, 'the derivation', workLooksMs);
  const aggregates = [{ id: 'genes', kind: 'genes', alteration: 'copy_number', counts: 'all' }];
  const { body, text } = await call('POST', '/v1/analytics/study/query', {
    body: { datasetId: id, aggregates },
  });
  const { genes } = body.results.genes;
  assert.ok(genes.profiled > 0 && genes.items.length > 0, text);
}

/** Requires that the service accepts new data, removes old data, and is whole, also after a crash. */
async function requireWork(service: MortalService, expected: Expected): Promise<void> {
  const { projectId, patients } = expected.afterwards;
  const project = TestProject.at(service.call, projectId);
  const added = await project.take('later.ndjson', fhirText('later', 2));
  assert.equal(await project.count('patient'), patients + 2);
  assert.equal((await service.call('DELETE', `/v1/files/${added}`)).status, 204);
  assert.equal(await project.count('patient'), patients);
  await requireWhole(service, expected);
  await service.restart();
  await requireAnswers(service, expected, ['owner']);
}

/** Requires that the service signs in, and has a whole audit log, whole tables, and secrets that can be opened; kills it. */
async function requireWhole(service: MortalService, { credentials }: Expected): Promise<void> {
  assert.ok(await signIn(service.server.baseUrl, credentials));
  await service.assertAuditWhole();
  await service.assertLakeWhole();
  await service.kill();
  // Opens every secret of the records, and seals it with another key.
  await service.admin('rotate-key');
}
