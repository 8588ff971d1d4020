import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { silent } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import { selfSignedCertificate } from '../../domains/authentication/saml/encryption/certificate.ts';
import { createSecureServer } from './tls.ts';

/** Makes a pair of files as PEM. */
function pairOf(name: string): { cert: string; key: string } {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const validity = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 3_600_000) };
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { cert: selfSignedCertificate(keys, name, validity), key: String(key) };
}

test('a certificate that was renewed in its file is shown to the next connection; half a pair is not', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-tls-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const files = { tlsCertificate: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') };
  const write = ({ cert, key }: Partial<ReturnType<typeof pairOf>>): void => {
    if (cert) writeFileSync(files.tlsCertificate, cert);
    if (key) writeFileSync(files.tlsKey, key);
  };
  write(pairOf('first'));
  const warnings: object[] = [];
  const log = { ...silent, warn: (details: object) => void warnings.push(details) };
  const server = createSecureServer({ ...files, log }, {}, 20);
  server.on('request', (_request, response) => response.end('secret'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const shown = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', rejectUnauthorized: false, agent: false }, (answer) => {
        const { subject } = (answer.socket as TLSSocket).getPeerCertificate();
        answer.resume().once('end', () => resolve(String(subject.CN)));
      });
      sent.once('error', reject).end();
    });
  assert.equal(await shown(), 'first');
  const next = pairOf('second');
  write({ cert: next.cert });
  await until(() => warnings.length > 0, 'half a pair was found');
  assert.equal(await shown(), 'first');
  write({ key: next.key });
  await until(async () => (await shown()) === 'second', 'the new certificate is shown');
});
