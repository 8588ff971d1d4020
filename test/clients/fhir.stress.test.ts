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
import { npmFolder, pythonWith, root } from '../deploy/tools.ts';
import { TestProject } from '../inputs/project.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

const run = promisify(execFile);
const packages = ['fhirclient==4.4.0', 'fhirpy==2.3.1'];
const npmPackages = ['fhir-kit-client@2.0.3', 'fhirclient@2.6.3'];
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

  before(async () => {
    app = await openTestApp({ PLOIDY_IDLE_WORKERS: '2' });
    project = await TestProject.make(app.call, 'FHIR clients');
    await project.take('Patient.ndjson', `${sample('Patient.ndjson')}${JSON.stringify(foreign)}\n`);
    for (const name of ['Condition.ndjson', 'Observation.ndjson.gz']) await project.take(name, sample(name));
  });
  after(() => app?.stop());

  test('fhirclient and fhirpy find on all pages what SQL finds', async () => {
    const base = `${app.address}/${app.account}/v1/fhir/${project.id}`;
    const env = { ...process.env, BASE: base, KEY: app.key };
    const script = join(import.meta.dirname, 'fhir_client.py');
    const { stdout } = await run(pythonWith(packages), [script], { env, maxBuffer: 1 << 26 });
    const { fhirclient, fhirpy } = JSON.parse(stdout);
    const patients = await project.ask(
      "SELECT id FROM resource WHERE resource_type = 'Patient' AND id <> 'foreign' ORDER BY 1",
    );
    assert.deepEqual(fhirclient.patients, patients);
    assert.deepEqual(fhirpy.patients, patients);
    assert.deepEqual(fhirclient.addresses, ['authorize', 'token', 'revoke']);
    assert.ok(fhirclient.everything > 1);
    assert.deepEqual(fhirclient.observed, ['Observation', 'Patient']);
    assert.deepEqual(fhirpy.births, fhirpy.births.toSorted().toReversed());
    assert.equal(fhirpy.conditions[0], fhirpy.conditions[1]);
    assert.ok(fhirpy.single);
  });

  test('fhir-kit-client and the client of SMART for JavaScript find on all pages what SQL finds', async () => {
    const BASE = `${app.address}/${app.account}/v1/fhir/${project.id}`;
    const env = { ...process.env, BASE, KEY: app.key };
    const patients = await project.ask(
      "SELECT id FROM resource WHERE resource_type = 'Patient' AND id <> 'foreign' ORDER BY 1",
    );
    // Modules are found beside the program that imports them.
    const script = join(npmFolder(...npmPackages), 'fhir-clients.mjs');
    copyFileSync(join(import.meta.dirname, 'fhir-clients.mjs'), script);
    const { stdout } = await run(process.execPath, [script], { env });
    const { kit, smart } = JSON.parse(stdout);
    assert.deepEqual([kit.patients, kit.single, kit.refused], [patients, true, 405]);
    assert.match(kit.tokenUrl, /\/v1\/oauth\/token$/);
    assert.deepEqual(smart, patients);
  });

  test('smart-fetch signs in with its key and exports in bulk what SQL finds', async () => {
    // Installed at first use, for which connections of the test do not wait.
    const program = join(dirname(pythonWith(['smart-fetch==1.0.3'])), 'smart-fetch');
    const folder = mkdtempSync(join(tmpdir(), 'smart-fetch-'));
    const pair = await generateKeyPair('ES384', { extractable: true });
    const kid = { kid: 'one', alg: 'ES384' };
    const publicKey = { ...(await exportJWK(pair.publicKey)), ...kid, key_ops: ['verify'] };
    const settings = { allowedOAuthFlows: ['client_credentials'], allowedScopes: ['system/*.rs'] };
    const { id } = await makeClient(app, { ...settings, jwks: { keys: [publicKey] } });
    const rule = { 'user.id': { comparison: 'equals', value: id } };
    const body = { name: 'smart-fetch', policy: { rules: { readData: [rule] } } };
    assert.equal((await app.call('POST', '/v1/policies', { body })).status, 200);
    const privateKey = { ...(await exportJWK(pair.privateKey)), ...kid, key_ops: ['sign'] };
    const key = join(folder, 'key.jwks');
    writeFileSync(key, JSON.stringify({ keys: [publicKey, privateKey] }));
    const base = `${app.address}/${app.account}/v1/fhir/${project.id}`;
    const who = ['--fhir-url', base, '--smart-client-id', id, '--smart-key', key];
    const what = ['--type', 'Patient,Condition', '--no-default-filters'];
    try {
      const found = await project.ask(
        "SELECT id FROM resource WHERE resource_type IN ('Patient', 'Condition') AND id <> 'foreign' ORDER BY 1",
      );
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
  });
});
