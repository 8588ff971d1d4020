/** The examples of docs/guides/http.md and of the client's README run as printed. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { blocksFor, blocksIn } from '../documentation/claims.ts';
import { startServer, type TestServer } from '../support/server.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'ploidy-http-'));
let server: TestServer;

/** Runs the first block of code of a document, and returns what it prints. */
async function runBlock(
  path: string,
  language: string,
  program: string,
  words: string[],
  cwd: string,
): Promise<string> {
  const text = readFileSync(join(root, path), 'utf8');
  const code = blocksIn(path, text).find((block) => block.language === language)?.code;
  assert.ok(code);
  const env = {
    ...process.env,
    PLOIDY_ADDRESS: server.baseUrl,
    PLOIDY_API_KEY: server.apiKey,
    PLOIDY_ACCOUNT: server.account,
  };
  const { stdout } = await promisify(execFile)(program, [...words, code], { cwd, env });
  return stdout;
}

before(async () => {
  server = await startServer();
});

after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const missing = ['curl', 'jq'].filter((tool) => spawnSync(tool, ['--version']).error);

test('the guide over HTTP ingests three files and saves the answer over two kinds of data', {
  skip: missing.length > 0 && `there is no ${missing.join(', ')}`,
}, async () => {
  const data = join(root, 'samples/data');
  cpSync(data, folder, { recursive: true });
  assert.equal(blocksFor(import.meta.filename).length, 1);
  const lines = await runBlock('docs/guides/http.md', 'sh', 'bash', ['-euo', 'pipefail', '-c'], folder);
  const ends = lines.trim().split('\n');
  assert.deepEqual(
    ends.map((line) => JSON.parse(line).slice(0, 2)),
    [
      ['vcf/SYN0001.vcf', 'succeeded'],
      ['fhir/Specimen.ndjson', 'succeeded'],
      ['fhir/Condition.ndjson', 'succeeded'],
      ['succeeded', JSON.parse(ends[3] ?? '')[1]],
    ],
  );
  const [title, ...rows] = readFileSync(join(folder, 'genes.csv'), 'utf8').trim().split('\n');
  assert.equal(title, 'display,genes');
  assert.ok(
    rows.some((row) => /^Malignant melanoma \(disorder\),[1-9]/.test(row)),
    rows.join('\n'),
  );
});

test('the example of the client prints rows of an ingested file', async () => {
  const words = ['--input-type=module-typescript', '-e'];
  const out = await runBlock('packages/client/README.md', 'ts', process.execPath, words, root);
  assert.match(out, /female/);
});
