/** Data of a build before the first release: refused with the way to keep it, which is its backup. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { admin, emptyPlace, newFolder } from '../backup/operator.ts';
import { MortalService } from '../crash/mortal-service.ts';
import { TestProject } from '../inputs/project.ts';
import { postgresSkip } from '../support/postgres.ts';
import { startServer } from '../support/server.ts';
import { place, unpack } from './frozen/archive.ts';
import { clockAt } from './frozen/clock.ts';
import { ask, lacks } from './frozen/questions.ts';
import type { Sender } from './frozen/scenario.ts';

/** Answers of the build before its backup was made. */
interface Expected {
  madeAt: number;
  senders: Record<string, Sender>;
  rows: { sender: string; projectId: string; sql: string; rows: string[] }[];
  /** Bodies by path. */
  answers: Record<string, unknown>;
  /** SHA-256 of files by id. */
  hashes: Record<string, string>;
}

const files = unpack(readFileSync(join(import.meta.dirname, '8636c89d/sqlite.br')));
const expected: Expected = JSON.parse(String(files.get('expected.json')));

test('data of a build before 0.1.0 is refused with the commands that keep it', async (context) => {
  const folder = newFolder(context);
  mkdirSync(folder, { mode: 0o700 });
  place(files, 'data/', folder);
  place(files, 'backup/master.key', join(folder, 'secrets/master.key'));
  const way =
    /build before 0\.1\.0.*"ploidy admin backup FOLDER --with-key".*"ploidy admin restore FOLDER".*PLOIDY_DATA_DIR/;
  await assert.rejects(startServer({ folder }), way);
  for (const command of [['backup', newFolder(context)], ['verify-audit']]) {
    const { code, err } = await admin({ PLOIDY_DATA_DIR: folder }, ...command);
    assert.deepEqual([code, way.test(err)], [1, true], err);
  }
});

for (const target of ['sqlite', 'postgres'] as const)
  test(`a backup of a build before 0.1.0 is restored on ${target}, with its rows, files and secrets`, {
    skip: target === 'postgres' && postgresSkip,
  }, async (context) => {
    const settings = { ...(await emptyPlace(context, target)), ...clockAt(expected.madeAt) };
    const { PLOIDY_DATA_DIR: folder = '', ...others } = settings;
    const backup = newFolder(context);
    place(files, 'backup/', backup);
    assert.equal((await admin(settings, 'verify-backup', backup)).code, 0);
    const restored = await admin(settings, 'restore', backup);
    assert.equal(restored.code, 0, restored.err);
    place(files, 'data/first-run.json', join(folder, 'first-run.json'));
    const service = await MortalService.startIn(folder, others);
    context.after(() => service.end());
    await requireAll(service);
    await service.assertAuditWhole();
    await service.assertLakeWhole();
    await service.kill();
    // Opens every secret of the records, and seals it with another key.
    await service.admin('rotate-key');
    await service.restart();
    await requireAll(service);
  });

async function requireAll({ call, server }: MortalService): Promise<void> {
  const { senders, rows, answers, hashes } = expected;
  for (const { sender, projectId, sql, rows: then } of rows) {
    const project = TestProject.at(
      (method, path, options) => call(method, path, { ...senders[sender], ...options }),
      projectId,
    );
    assert.deepEqual(await project.ask(sql), then, `${sender}: ${sql}`);
  }
  const owner = senders['owner'] ?? {};
  for (const [path, then] of Object.entries(answers)) {
    const { body } = await ask(server.baseUrl, owner, { method: 'GET', path });
    // Rows derived of older files are new data, for which cohorts are counted again.
    const found = lacks(then, body).filter((line) => !/countedTime: "[^"]+" instead of "[^"]+"$/.test(line));
    assert.deepEqual(found, [], path);
  }
  for (const [id, sha256] of Object.entries(hashes)) {
    const headers = { authorization: owner.key ?? '', 'service-account': owner.account ?? '' };
    const reply = await fetch(`${server.baseUrl}/v1/files/${id}`, { headers });
    const bytes = Buffer.from(await reply.arrayBuffer());
    assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256, id);
  }
}
