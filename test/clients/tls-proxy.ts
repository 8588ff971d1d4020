import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Proxy that ends TLS before a service, as an operator's does: it passes `Host` on, and forwards the scheme. */
export interface TlsProxy {
  address: string;
  /** Path of its certificate. */
  certificate: string;
  stop(): Promise<void>;
}

export async function openTlsProxy(target: string, folder: string): Promise<TlsProxy> {
  const [key, certificate] = [join(folder, 'proxy.key'), join(folder, 'proxy.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const kind = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  execFileSync('openssl', [...kind, ...subject, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (incoming, outgoing) => {
      const headers = { ...incoming.headers, 'x-forwarded-proto': 'https' };
      const { method = 'GET', url = '/' } = incoming;
      const passed = request(`${target}${url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `https://localhost:${port}`,
    certificate,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
