/** Keys that sign requests, and keys for encrypted assertions. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { testOnRecords } from '../../../../../../../test/support/records.ts';
import { secretsFrom } from '../../../../platform/secrets/index.ts';
import { SamlKeys } from '../encryption/keys.ts';
import { WrappedKeys } from '../encryption/wrapped-keys.ts';

const dayMs = 86_400_000;

/** Returns the key usage of a certificate. */
function usesOf(certificate: string): string {
  return execFileSync('openssl', ['x509', '-noout', '-ext', 'keyUsage'], { input: certificate }).toString();
}

testOnRecords(
  'the key of requests is sealed, shared by all processes, and its successor is published before use',
  async ({ open }) => {
    const secrets = secretsFrom(Buffer.alloc(32, 7));
    const records = await open();
    const [one, two] = [new SamlKeys(records, secrets), new SamlKeys(await open(), secrets)];
    const [first, same] = await Promise.all([one.certificates(), two.certificates()]);
    assert.deepEqual(first, same);
    const rows = () => records.read.selectFrom('saml_keys').selectAll().orderBy('used_from').execute();
    assert.ok(!JSON.stringify(await rows()).includes('PRIVATE'));
    const now = Date.now();
    await one.rotate(now + 600 * dayMs);
    assert.equal((await rows()).length, 1);
    await one.rotate(now + 641 * dayMs);
    await two.rotate(now + 641 * dayMs);
    const published = await one.certificates(now + 641 * dayMs);
    assert.equal(published.length, 2);
    assert.equal((await one.signing(now + 641 * dayMs)).certificate, first[0]);
    await one.rotate(now + 731 * dayMs);
    assert.deepEqual(await two.certificates(now + 731 * dayMs), published.slice(1));
    assert.ok(
      new X509Certificate(published[1] ?? '').verify(new X509Certificate(published[1] ?? '').publicKey),
    );
  },
);

testOnRecords(
  'the newest encryption key is published alone; its predecessor decrypts for 90 more days',
  async ({ open }) => {
    const secrets = secretsFrom(Buffer.alloc(32, 7));
    const records = await open();
    const [one, two] = [new SamlKeys(records, secrets), new SamlKeys(await open(), secrets)];
    assert.deepEqual(await one.decrypting(), [], 'none is created before its first use');
    const [first, same] = await Promise.all([one.encryptionCertificate(), two.encryptionCertificate()]);
    assert.equal(first, same);
    const [signing] = await one.certificates();
    const fitting = async (certificate: string) =>
      (await two.decrypting()).map((key) => new X509Certificate(certificate).checkPrivateKey(key));
    assert.deepEqual(await fitting(first), [true]);
    assert.deepEqual(await fitting(signing ?? ''), [false]);
    assert.match(usesOf(first), /Key Encipherment/);
    assert.doesNotMatch(usesOf(first), /Signature/);
    assert.match(usesOf(signing ?? ''), /Digital Signature\s*$/);
    const stored = await records.read.selectFrom('saml_keys').selectAll().execute();
    assert.ok(!JSON.stringify(stored).includes('PRIVATE'));
    const now = Date.now();
    await one.rotate(now + 600 * dayMs);
    assert.equal(await two.encryptionCertificate(), first);
    await one.rotate(now + 641 * dayMs);
    await two.rotate(now + 641 * dayMs);
    const second = await two.encryptionCertificate();
    assert.notEqual(second, first);
    assert.deepEqual(await fitting(first), [false, true]);
    assert.deepEqual(await fitting(second), [true, false]);
    await one.rotate(now + (641 + 88) * dayMs);
    assert.deepEqual(await fitting(first), [false, true]);
    await one.rotate(now + (641 + 91) * dayMs);
    assert.deepEqual(await fitting(second), [true]);
  },
);

testOnRecords(
  'two services create one successor of each key after a downtime of a whole period',
  async ({ open }) => {
    const secrets = secretsFrom(Buffer.alloc(32, 7));
    const records = await open();
    const [one, two] = [new SamlKeys(records, secrets), new SamlKeys(await open(), secrets)];
    await Promise.all([one.certificates(), one.encryptionCertificate()]);
    const noon = (Math.floor(Date.now() / dayMs) + 800.5) * dayMs;
    await Promise.all([one.rotate(noon), two.rotate(noon + 1)]);
    const rows = await records.read.selectFrom('saml_keys').select(['use', 'used_from']).execute();
    const successors = rows.filter((row) => row.used_from > noon);
    assert.deepEqual(successors.map(({ use }) => use).toSorted(), ['encryption', 'signing']);
    for (const { used_from } of successors)
      assert.ok(
        used_from > noon + 89 * dayMs && used_from <= noon + 90 * dayMs,
        'published a quarter before',
      );
  },
);

testOnRecords(
  'a wrapped key is new for one response among all processes, until no private key opens it',
  async ({ open }) => {
    const records = await open();
    const [one, two] = [new WrappedKeys(records), new WrappedKeys(await open())];
    const wrapped = Buffer.from([0, 1, 2]);
    const answers = [one, one, two].map((service) => service.forOneAnswer());
    const came = await Promise.all(answers.map((isFirst) => isFirst(wrapped)));
    assert.equal(came.filter((isFirst) => isFirst).length, 1);
    assert.deepEqual(await Promise.all(answers.map((isFirst) => isFirst(wrapped))), came, 'asked again');
    for (const same of [wrapped, wrapped.subarray(1)])
      assert.equal(await two.forOneAnswer()(same), false, 'zeros before it are nothing to RSA');
    assert.equal(await two.forOneAnswer()(Buffer.from([1, 2, 0])), true);

    const keys = new SamlKeys(records, secretsFrom(Buffer.alloc(32, 7)));
    await keys.encryptionCertificate();
    const now = Date.now();
    await records.transact((tx) =>
      tx
        .updateTable('saml_keys')
        .set({ created_at: now - 800 * dayMs, used_from: now - 800 * dayMs })
        .execute(),
    );
    await records.transact((tx) =>
      tx
        .updateTable('saml_wrapped_keys')
        .set({ used_at: now - 2 * dayMs })
        .execute(),
    );
    await keys.rotate(now);
    assert.equal(await one.forOneAnswer()(wrapped), false, 'the older key is there still');
    await keys.rotate(now + 91 * dayMs);
    assert.equal((await keys.decrypting()).length, 1);
    assert.equal(await one.forOneAnswer()(wrapped), true);
    await keys.rotate(now + 92 * dayMs);
    assert.equal(await one.forOneAnswer()(wrapped), false, 'what came since stays');
  },
);
