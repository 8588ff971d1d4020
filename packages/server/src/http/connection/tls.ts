import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { reasonOf } from '../../base/reason.ts';
import type { PlatformLog } from '../../platform/records/log.ts';

/** Files of a certificate and its key, PEM. */
export interface TlsFiles {
  tlsCertificate: string;
  tlsKey: string;
  log: PlatformLog;
}

const lookEveryMs = 30_000;

/**
 * Creates a server that answers https, by TLS 1.2 or later. A certificate that was renewed in its file is used for the next
 * connection, if its key fits; until then the former one stays.
 */
export function createSecureServer(
  { tlsCertificate, tlsKey, log }: TlsFiles,
  options: object,
  everyMs = lookEveryMs,
): Server {
  const open = () => {
    const held = { cert: readFileSync(tlsCertificate, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
    return { held, server: createServer({ ...options, ...held, minVersion: 'TLSv1.2' }) };
  };
  const { held: first, server } = opened(open);
  let held = first;
  const look = async (): Promise<void> => {
    const [cert, key] = await Promise.all([readFile(tlsCertificate, 'utf8'), readFile(tlsKey, 'utf8')]);
    if (cert === held.cert && key === held.key) return;
    server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
    held = { cert, key };
    log.info({}, 'the certificate was read again');
  };
  const timer = setInterval(() => {
    // Both files change one after the other: the next look may find a pair.
    look().catch((error: unknown) => log.warn({ err: error }, 'the new certificate cannot be used'));
  }, everyMs);
  timer.unref();
  return server.once('close', () => clearInterval(timer));
}

/** Names the settings in an error about their files. */
function opened<T>(open: () => T): T {
  try {
    return open();
  } catch (cause) {
    const text = `PLOIDY_TLS_CERTIFICATE and PLOIDY_TLS_KEY cannot be used: ${reasonOf(cause)}.`;
    throw new Error(text, { cause });
  }
}
