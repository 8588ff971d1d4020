import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testOnRecords } from '../../../../../../../test/support/records.ts';
import { secretsFrom } from '../../../../platform/secrets/secrets.ts';
import { fromBase32, toBase32 } from './base32.ts';
import { SecondFactors } from './second-factors.ts';
import { codeAt, matchingStep, newSecret, otpauthUri, stepAt } from './totp.ts';

const secrets = secretsFrom(Buffer.alloc(32, 7));

test('codes match RFC 6238, appendix B', () => {
  const secret = toBase32(Buffer.from('12345678901234567890'));
  // The RFC has eight digits; these are the last six.
  const expected: [number, string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ];
  for (const [seconds, code] of expected) assert.equal(codeAt(secret, stepAt(seconds * 1000)), code);
});

test('base32 matches RFC 4648, §10, and decodes again', () => {
  assert.equal(toBase32(Buffer.from('foobar')), 'MZXW6YTBOI');
  assert.equal(toBase32(Buffer.from('fo')), 'MZXQ');
  for (let length = 0; length < 30; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * 37 + 11) & 255));
    assert.deepEqual(fromBase32(toBase32(bytes)), bytes);
  }
});

// asvs: 6.5.5
test('a code is valid one step early and late, not two, and only complete', () => {
  const secret = newSecret();
  const now = 1_700_000_000_000;
  const at = (steps: number) => codeAt(secret, stepAt(now) + steps);
  for (const steps of [-1, 0, 1]) assert.equal(matchingStep(secret, at(steps), now), stepAt(now) + steps);
  for (const steps of [-2, 2]) assert.equal(matchingStep(secret, at(steps), now), undefined);
  for (const wrong of ['', at(0).slice(1), `${at(0)}0`, `0${at(0)}`, 'abcdef', '１２３４５６'])
    assert.equal(matchingStep(secret, wrong, now), undefined);
});

test('the URI for authenticators names service, user and secret', () => {
  const uri = new URL(otpauthUri('ABC', 'jane@example.test', 'ploidy.example:8443'));
  assert.equal(uri.protocol, 'otpauth:');
  assert.equal(uri.searchParams.get('secret'), 'ABC');
  assert.equal(uri.searchParams.get('issuer'), 'Ploidy ploidy.example 8443');
  assert.equal(
    decodeURIComponent(uri.pathname.split('/').at(-1) ?? ''),
    'Ploidy ploidy.example 8443:jane@example.test',
  );
  assert.doesNotMatch(uri.href, /\+/);
});

// asvs: 6.5.1
testOnRecords('a code is accepted once, also concurrently, and no earlier one after it', async ({ open }) => {
  const records = await open();
  let now = 1_700_000_000_000;
  const factors = new SecondFactors(records, secrets, () => now);
  const secret = newSecret();
  const turnOn = () => records.transact((tx) => factors.turnOn(tx, 'u', secret, codeAt(secret, stepAt(now))));
  assert.equal((await turnOn())?.length, 10);
  assert.equal(await turnOn(), undefined, 'it is on already');
  assert.equal(await factors.take('u', codeAt(secret, stepAt(now))), undefined, 'used to turn it on');
  now += 90_000;
  const [code, earlier] = [codeAt(secret, stepAt(now)), codeAt(secret, stepAt(now) - 1)];
  const other = new SecondFactors(await open(), secrets, () => now);
  const taken = await Promise.all([factors, other, factors, other].map((one) => one.take('u', code)));
  assert.deepEqual(taken.filter(Boolean), ['authenticator']);
  assert.equal(await factors.take('u', earlier), undefined);
  assert.equal(await factors.take('somebody', codeAt(secret, stepAt(now) + 1)), undefined);
  assert.equal(
    await factors.take('u', ` ${codeAt(secret, stepAt(now) + 1).replace(/(...)/, '$1 ')}`),
    'authenticator',
  );
  const row = await records.read.selectFrom('second_factors').selectAll().executeTakeFirstOrThrow();
  assert.ok(!JSON.stringify(row).includes(secret), 'the key is kept sealed');
});

// asvs: 6.5.1, 6.5.4
testOnRecords('a recovery code works once, for its user only, and not after renewal', async ({ open }) => {
  const records = await open();
  const factors = new SecondFactors(records, secrets);
  const on = (user: string) => records.transact((tx) => factors.turnOn(tx, user, newSecret(), ''));
  const [first = '', second = ''] = (await on('u')) ?? [];
  await on('other');
  assert.match(first, /^[A-Z2-7]{5}-[A-Z2-7]{5}$/);
  assert.equal(await factors.take('other', first), undefined);
  const typed = first.toLowerCase().replace('-', ' ');
  const taken = await Promise.all([1, 2, 3].map(() => factors.take('u', typed)));
  assert.deepEqual(taken.filter(Boolean), ['recovery']);
  assert.equal(await factors.codesLeft('u'), 9);
  const renewed = (await records.transact((tx) => factors.renewCodes(tx, 'u'))) ?? [];
  assert.equal(await factors.take('u', second), undefined);
  assert.equal(await factors.take('u', renewed[0] ?? ''), 'recovery');
  assert.equal(await records.transact((tx) => factors.renewCodes(tx, 'nobody')), undefined);
  const kept = JSON.stringify(await records.read.selectFrom('recovery_codes').selectAll().execute());
  assert.ok(!kept.includes(first.replace('-', '')), 'codes are kept as hashes');
});

testOnRecords('disabling removes all codes', async ({ open }) => {
  const records = await open();
  const factors = new SecondFactors(records, secrets);
  const [code = ''] = (await records.transact((tx) => factors.turnOn(tx, 'u', newSecret(), ''))) ?? [];
  assert.equal(await records.transact((tx) => factors.turnOff(tx, 'u')), true);
  assert.equal(await factors.isOn('u'), false);
  assert.equal(await factors.take('u', code), undefined);
  assert.equal(await records.transact((tx) => factors.turnOff(tx, 'u')), false);
});
