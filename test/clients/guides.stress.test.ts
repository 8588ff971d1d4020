/** Commands and examples of the guides run as printed, in a shell with `ploidy` on its path. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { buildWheel, pythonWith, wheelName } from '../../release/python.ts';
import { root } from '../deploy/tools.ts';
import { type Block, blocksFor } from '../documentation/claims.ts';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { missing } from './missing.ts';
import { openTlsProxy, type TlsProxy } from './tls-proxy.ts';

const skip = await missing('python3', 'samtools', 'bcftools', 'openssl');
const samples = join(root, 'samples/data');
const all = blocksFor(import.meta.filename);
const { home, run, json, remove } = commandLine();
let server: TestServer;
let proxy: TlsProxy;
let project: string;
let environment: NodeJS.ProcessEnv;

const of = (name: string, ...languages: string[]): Block[] =>
  all.filter(({ path, language }) => path === `docs/guides/${name}.md` && languages.includes(language));

/** Runs a program in the folder of the user, while this process is its proxy; answers what it prints. Rejects when it fails. */
async function runs(program: string, words: string[], env: NodeJS.ProcessEnv = environment): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, { cwd: home, env, maxBuffer: 1 << 26 });
  return stdout;
}

before(async () => {
  if (skip) return;
  server = await startServer();
  proxy = await openTlsProxy(server.baseUrl, home);
  await json('login', '--first-run', server.folder, '--address', server.baseUrl);
  project = (await json('projects', 'create', 'Sample project', '--use')).id;
  const files = [
    'fhir/Patient.ndjson',
    'fhir/Observation.ndjson.gz',
    'bam/SYN0001.bam',
    'vcf/SYN0013-SYN0020.vcf.gz',
  ];
  await json('files', 'put', ...files.map((name) => join(samples, name)), '--ingest');
  mkdirSync(join(home, 'bin'));
  const program = [process.execPath, join(root, 'bin/ploidy.js')].map((word) => `'${word}'`).join(' ');
  writeFileSync(join(home, 'bin/ploidy'), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
  const [set] = await json('reads', 'ls');
  const [file] = await json('files', 'ls', 'SYN0013');
  environment = {
    ...process.env,
    // These would take the place of the certificate that an example names.
    REQUESTS_CA_BUNDLE: undefined,
    CURL_CA_BUNDLE: undefined,
    HOME: home,
    XDG_CONFIG_HOME: home,
    PATH: `${home}/bin:${process.env['PATH']}`,
    PLOIDY_ADDRESS: server.baseUrl,
    PLOIDY_API_KEY: server.apiKey,
    SET: set.id,
    FILE: file.id,
  };
});

after(async () => {
  await proxy?.stop();
  await server?.stop();
  remove();
});

test('samtools and bcftools read regions by the lines of the guide', { skip }, async () => {
  const [block] = of('bioinformatician', 'sh');
  const printed = await runs('bash', ['-euo', 'pipefail', '-c', block?.code ?? '']);
  const lines = printed.split('\n');
  assert.ok(
    lines.some((line) => line.startsWith('@SQ')),
    'reads',
  );
  assert.ok(
    lines.some((line) => line.startsWith('#CHROM')),
    'variants',
  );
});

test('files of the guide become tables of their own by its commands, and its statement reads one', {
  skip,
}, async () => {
  const contents = blocksFor(join(root, 'packages/converters/src/own-table/guide.test.ts'));
  const commands = of('bioinformatician', 'bash');
  assert.equal(commands.length, contents.length);
  for (const [at, { code, at: place }] of commands.entries()) {
    const [name = ''] = /\S+\.(?:txt|csv)/.exec(code) ?? [];
    writeFileSync(join(home, name), contents[at]?.code ?? '');
    assert.notEqual(await runs('bash', ['-euo', 'pipefail', '-c', code]), '', place);
  }
  for (const { code } of of('bioinformatician', 'sql')) {
    const { code: ended, err } = await run('query', code);
    assert.equal(ended, 0, err);
  }
});

test('the wheel is installed by the line of the guide, with its libraries', { skip }, async () => {
  const [block] = of('analyst', 'bash');
  copyFileSync(buildWheel(join(home, 'release')), join(home, wheelName));
  await runs('python3', ['-m', 'venv', 'environment']);
  const env = { ...environment, PATH: `${home}/environment/bin:${environment['PATH']}` };
  await runs('bash', ['-euo', 'pipefail', '-c', block?.code ?? ''], env);
  await runs('python', ['-c', 'import ploidy, polars, pysam'], env);
});

test('the example of FHIR reads observations of a patient', { skip }, async () => {
  const [block] = of('analyst', 'py');
  const names = `from fhirpy import SyncFHIRClient
address, project, key = ${JSON.stringify([server.baseUrl, project, server.apiKey])}
`;
  await runs(pythonWith(['fhirclient==4.4.0', 'fhirpy==2.3.1']), ['-c', `${names}${block?.code}`]);
});

test('the example over the Trino protocol reads patients', { skip }, async () => {
  const [block] = of('analyst', 'python');
  const { host } = new URL(proxy.address);
  const code = block?.code
    .replace('ploidy.example.org:443', host)
    .replace('"http_scheme"', `"verify": ${JSON.stringify(proxy.certificate)}, "http_scheme"`);
  const python = pythonWith(['trino==0.340.0', 'sqlalchemy==2.0.44', 'pandas==2.3.3']);
  await runs(python, ['-c', `api_key = ${JSON.stringify(server.apiKey)}\n${code}\nassert len(patients) > 0`]);
});

test('every block of the guides that this file has is run', () => {
  const taken = [of('bioinformatician', 'sh', 'bash', 'sql'), of('analyst', 'bash', 'py', 'python')].flat();
  assert.deepEqual(all.map(({ at }) => at).toSorted(), taken.map(({ at }) => at).toSorted());
});
