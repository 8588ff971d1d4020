import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Forms } from './forms.ts';

test('the log warns of users at another address, not of cross-site requests', () => {
  const warnings: object[] = [];
  const log = {
    info: () => undefined,
    error: () => undefined,
    warn: (details: object) => warnings.push(details),
  };
  const publicUrl = 'https://ploidy.example';
  const forms = new Forms(Buffer.alloc(32, 1), () => publicUrl, log);
  const send = (headers: Record<string, string>) => forms.faultIn({ headers }, undefined, 'test', 'proof');
  send({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' });
  send({ origin: publicUrl });
  send({});
  assert.deepEqual(warnings, []);
  for (let times = 0; times < 3; times++)
    assert.match(send({ origin: 'http://10.0.0.5:8080' }) ?? '', /you used http:\/\/10\.0\.0\.5:8080/);
  assert.deepEqual(warnings, [{ origin: 'http://10.0.0.5:8080', publicUrl, times: 1 }]);
});
