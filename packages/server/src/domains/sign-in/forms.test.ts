import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Forms } from './forms.ts';

test('the log warns of people who come by another address, not of pages of others', () => {
  const told: object[] = [];
  const log = {
    info: () => undefined,
    error: () => undefined,
    warn: (details: object) => told.push(details),
  };
  const publicUrl = 'https://ploidy.example';
  const forms = new Forms(Buffer.alloc(32, 1), () => publicUrl, log);
  const send = (headers: Record<string, string>) => forms.mistakeIn({ headers }, undefined, 'test', 'proof');
  send({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' });
  send({ origin: publicUrl });
  send({});
  assert.deepEqual(told, []);
  for (let times = 0; times < 3; times++)
    assert.match(send({ origin: 'http://10.0.0.5:8080' }) ?? '', /you came by http:\/\/10\.0\.0\.5:8080/);
  assert.deepEqual(told, [{ origin: 'http://10.0.0.5:8080', publicUrl, times: 1 }]);
});
