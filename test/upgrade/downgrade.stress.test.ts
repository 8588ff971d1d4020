/** The code of each release, taken from the history, on data and backups of this version: refused with words. Its own backup is restored. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { admin, newFolder } from '../backup/operator.ts';
import { cleanEnvironment, startServer } from '../support/server.ts';
import { place } from './frozen/archive.ts';
import { codeOf, commitOf } from './frozen/code.ts';
import { frozen, refusingReleases } from './frozen/release.ts';

for (const release of refusingReleases) {
  const commit = commitOf(release);
  const skip = commit === undefined && `the history of this checkout does not have ${release}`;
  test(`${release} refuses records and backups of this version with a remedy, and restores its own backup`, {
    skip,
  }, async (context) => {
    const program = codeOf(context, commit ?? '');
    const run = (folder: string, ...words: string[]) => {
      const env = { ...cleanEnvironment(), PLOIDY_DATA_DIR: folder, PLOIDY_PORT: '0' };
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
        env,
        encoding: 'utf8',
      });
      return { status, text: stdout + stderr };
    };
    const folder = newFolder(context);
    mkdirSync(folder);
    await (await startServer({ folder })).kill();
    const backup = newFolder(context);
    const made = await admin({ PLOIDY_DATA_DIR: folder }, 'backup', backup, '--with-key');
    assert.equal(made.code, 0, made.err);
    const [moment = ''] = readdirSync(join(backup, 'moments'));

    const served = run(folder, 'serve');
    assert.equal(served.status, 1);
    assert.match(served.text, /written by a newer version .*: start that version, or restore a backup/);
    const newer = run(newFolder(context), 'admin', 'restore', join(backup, 'moments', moment));
    assert.equal(newer.status, 1);
    assert.match(newer.text, /use the version that made it|newer version/);

    const own = newFolder(context);
    place(frozen(release, 'sqlite').files, 'backup/', own);
    const rolledBack = newFolder(context);
    const back = run(rolledBack, 'admin', 'restore', own);
    assert.equal(back.status, 0, back.text);
    assert.match(run(rolledBack, 'admin', 'verify-audit').text, /events, whole/);
  });
}
