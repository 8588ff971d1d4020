/** The archive of the command line for this platform works where nothing else is installed: without Node in PATH, by a link. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commitOf } from '../../packages/cli/src/build.ts';
import { readManifest, root } from '../../release/build.ts';
import { commandLineName, writeCommandLines } from '../../release/command-line.ts';
import { installFor } from '../../release/image/image.ts';
import { platforms } from '../../release/platforms.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Folder, packed } from './installed.ts';

const platform = platforms.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
const skip =
  platform && platform.os !== 'win32' ? false : 'The archive for Windows is a ZIP with a batch file.';

let made: Folder;
let folder: string;
let server: TestServer;
before(async () => {
  if (skip || !platform) return;
  folder = mkdtempSync(join(tmpdir(), 'ploidy-command-line-'));
  made = packed();
  const archive = join(made.folder, commandLineName(platform));
  if (!existsSync(archive)) await writeCommandLines(made.folder, installFor('x64', made.folder));
  execFileSync('tar', ['--extract', '--gzip', '--file', archive, '--directory', folder]);
  const unpacked = commandLineName(platform).replace('.tar.gz', '');
  symlinkSync(join(folder, unpacked, 'ploidy'), join(folder, 'ploidy'));
  server = await startServer();
});
after(async () => {
  await server?.stop();
  made?.remove();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Runs the command line without any setting of this process; returns what it prints. */
function ploidy(...words: string[]): string {
  const { baseUrl, apiKey, account } = server;
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: folder,
    PLOIDY_ADDRESS: baseUrl,
    PLOIDY_API_KEY: apiKey,
    PLOIDY_ACCOUNT: account,
  };
  return execFileSync(join(folder, 'ploidy'), words, { encoding: 'utf8', env, stdio: 'pipe' });
}

test('the command line of the archive names its version, uploads, ingests and queries', { skip }, () => {
  const commit = commitOf(root).commit?.slice(0, 12) ?? '';
  assert.ok(ploidy('--version').startsWith(`${readManifest(root).version} (commit ${commit} of `));
  ploidy('projects', 'create', 'Archive');
  const patients = join(root, 'samples/data/fhir/Patient.ndjson');
  ploidy('files', 'put', patients, '--project', 'Archive', '--ingest');
  const rows = ploidy('query', 'select count(*) as n from patient', '--project', 'Archive');
  assert.match(rows, /^n\n\d+\n$/);
});
