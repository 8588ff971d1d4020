import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { admin, newFolder } from '../backup/operator.ts';
import { startServer } from '../support/server.ts';

test('a data folder of a newer version is refused with what to do, and so is a backup of it', async (context) => {
  const folder = newFolder(context);
  mkdirSync(folder);
  await (await startServer({ folder })).kill();
  const records = new DatabaseSync(join(folder, 'records.sqlite'));
  records.exec("insert into schema_migrations (name, applied_at) values ('9999-future', 1)");
  records.close();
  await assert.rejects(startServer({ folder }), /could not start: .* newer version/);
  const log = readFileSync(join(folder, 'server.log'), 'utf8');
  assert.match(
    log,
    /written by a newer version \(it made the change \\"9999-future\\"\): start that version/,
  );
  const { code, err } = await admin({ PLOIDY_DATA_DIR: folder }, 'backup', newFolder(context));
  assert.deepEqual([code, /newer version \(it made the change "9999-future"\)/.test(err)], [1, true], err);
});
