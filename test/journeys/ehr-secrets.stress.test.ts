import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { EhrProject, ehrSettings } from '../../packages/server/src/domains/ehrs/ehr-project.fixture.ts';
import { ecKey } from '../../packages/server/src/domains/ehrs/key-pairs.fixture.ts';
import { MortalService } from '../crash/mortal-service.ts';
import { smallResources } from '../support/fhir/sample-resources.ts';
import { TestFhirServer } from '../support/fhir/server.ts';

const id = 'reader-of-ward-seven';
const secret = 'Hidden-Password-4711';

test('keys, secrets and tokens of an EHR system are in no file of the service: not in the database, its journal, the log, a blob', async (context) => {
  const settings = { ...ehrSettings, PLOIDY_LOG_LEVEL: 'trace' };
  const service = await MortalService.start(settings);
  const key = ecKey();
  const ways = {
    header: { authorization: secret, given: { apiAuthType: 'header', apiKey: secret } },
    basic: {
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      given: { apiAuthType: 'basic', apiKey: id, apiSecret: secret },
    },
    oauth2: {
      oauth2: { id, secret },
      given: { apiAuthType: 'oauth2', apiKey: id, apiSecret: secret },
    },
    key: {
      oauth2: { id },
      given: { apiAuthType: 'private_key_jwt', apiKey: id, apiSecret: key.pem },
    },
  };
  const answers: string[] = [];
  const assertions: string[] = [];
  for (const [name, { given, ...options }] of Object.entries(ways)) {
    const resources = smallResources(2, 1, name);
    const ehr = await EhrProject.make(service.call, name, { resources, ...options }, given);
    context.after(() => ehr.server.stop());
    const { tokens } = ehr.server;
    tokens.assertions.jwksUrl = (await ehr.ask('GET', '')).body.jwksUrl ?? '';
    await ehr.pull();
    assertions.push(...tokens.assertions.seen);
    ehr.server.fail(/Patient/, 'drop', 'cut', { status: 500 }, { status: 500 });
    answers.push(JSON.stringify(await ehr.end(await ehr.begin({ full: true }))));
    const other = await TestFhirServer.start({ resources, authorization: 'another' });
    context.after(() => other.stop());
    await ehr.ask('UPDATE', '', { body: { apiBaseUrl: other.url } });
    answers.push(JSON.stringify(await ehr.end(await ehr.begin())));
    answers.push((await ehr.ask('PUT', '', { body: { apiAuthType: secret } })).text);
  }
  for (const path of ['/v1/ehrs', '/v1/audit-events?pageSize=1000', '/metrics'])
    answers.push((await service.call('GET', path)).text);
  await service.kill();
  assert.equal(assertions.length, 1);
  const { d = '' } = key.privateKey.export({ format: 'jwk' });
  const parts = [...key.pem.split('\n').slice(1, -2), d, ...assertions];
  const words = [id, secret, Buffer.from(`${id}:${secret}`).toString('base64'), `token-1-of-${id}`, ...parts];
  const files = readdirSync(service.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  assert.ok(files.some((path) => path.endsWith('records.sqlite')));
  assert.ok(files.some((path) => path.endsWith('server.log')));
  for (const word of words) {
    for (const path of files) {
      const bytes = readFileSync(path);
      assert.ok(!bytes.includes(word), `${path} holds ${word}`);
      if (bytes[0] === 0x1f && bytes[1] === 0x8b) assert.ok(!gunzipSync(bytes).includes(word), path);
    }
    for (const answer of answers) assert.ok(!answer.includes(word), answer);
  }
  rmSync(service.folder, { recursive: true, force: true });
});
