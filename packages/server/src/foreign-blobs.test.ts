import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { postgresSkip, startPostgres } from '../../../test/support/postgres.ts';
import { runAdmin } from './admin-command.ts';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { storeSettings } from './config-blobs.ts';
import { openLog } from './log.ts';
import { openBlobs } from './platform/blobs/index.ts';

/** A data folder with bytes that its records do not know: they are elsewhere, or were lost. */
async function folderOfOthers(context: TestContext, more: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-foreign-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const config = readConfig({ PLOIDY_DATA_DIR: folder, PLOIDY_PORT: '0', PLOIDY_IDLE_WORKERS: '0', ...more });
  const blobs = await openBlobs(storeSettings(config));
  const { key } = await blobs.put(Readable.from(['somebody needs this']), { sizeMax: 100 });
  await blobs.close();
  const stillThere = async (): Promise<string> => {
    const again = await openBlobs(storeSettings(config));
    try {
      return (await (await again.open(key)).toArray()).join('');
    } finally {
      await again.close();
    }
  };
  return { config, stillThere };
}

test('a start without the database that a data folder belongs to is refused before anything is cleared', async (context) => {
  const { config, stillThere } = await folderOfOthers(context);
  for (const time of ['first', 'second'])
    await assert.rejects(
      createApp(config, openLog('silent')),
      /store of files is not: .*PLOIDY_DATABASE_URL is not set/,
      time,
    );
  assert.equal(await stillThere(), 'somebody needs this');
});

test('a start with an empty database on the data folder of another is refused, too', {
  skip: postgresSkip,
}, async (context) => {
  const database = await startPostgres();
  context.after(() => database.stop());
  const { config, stillThere } = await folderOfOthers(context, { PLOIDY_DATABASE_URL: database.url });
  await assert.rejects(createApp(config, openLog('silent')), /PLOIDY_DATABASE_URL is set/);
  assert.equal(await stillThere(), 'somebody needs this');
});

test('commands of the host neither call such a folder clean nor make a backup of nothing', async (context) => {
  const { config, stillThere } = await folderOfOthers(context);
  const target = mkdtempSync(join(tmpdir(), 'ploidy-backup-'));
  context.after(() => rmSync(target, { recursive: true, force: true }));
  const commands = [
    ['backup', join(target, 'a')],
    ['verify-lake'],
    ['verify-audit'],
    ['backup', join(target, 'b')],
  ];
  for (const words of commands) assert.equal(await runAdmin(config, words), 1, words.join(' '));
  assert.equal(await stillThere(), 'somebody needs this');
});
