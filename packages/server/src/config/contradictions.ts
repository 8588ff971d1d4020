import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { S3Access, S3Address } from '../platform/blobs/index.ts';
import { ConfigError } from './values.ts';

/** Settings that are compared with each other. */
interface Compared {
  port: number;
  probesPort: number | undefined;
  tlsCertificate: string;
  tlsKey: string;
  publicUrl: string;
  dataFolder: string;
  blobStore: S3Address | undefined;
  s3AccessKeyId: string;
  s3SecretAccessKey: string;
  s3Encryption: Pick<S3Access, 'encryption'>;
  backups: string | S3Address | undefined;
  backupAccessKeyId: string;
  backupSecretAccessKey: string;
}

/** Values that are right by themselves and wrong together, with what to do. */
const contradictions: readonly (readonly [isGiven: (config: Compared) => boolean, remedy: string])[] = [
  [
    ({ port, probesPort }) => port !== 0 && port === probesPort,
    'PLOIDY_PROBES_PORT and PLOIDY_PORT are the same: give the probes a port of their own.',
  ],
  [
    ({ tlsCertificate, tlsKey }) => (tlsCertificate === '') !== (tlsKey === ''),
    'Set both PLOIDY_TLS_CERTIFICATE and PLOIDY_TLS_KEY, or neither and let a proxy answer https.',
  ],
  [
    ({ tlsCertificate, publicUrl }) => tlsCertificate !== '' && publicUrl.startsWith('http:'),
    'PLOIDY_PUBLIC_URL begins with http:// and PLOIDY_TLS_CERTIFICATE is given: clients reach the service by https://.',
  ],
  [
    (config) => !usesS3(config) && config.s3AccessKeyId + config.s3SecretAccessKey !== '',
    'PLOIDY_S3_ACCESS_KEY_ID is given and no store: set PLOIDY_BLOBS, or the bytes go into the data folder.',
  ],
  [
    (config) => !usesS3(config) && config.s3Encryption.encryption !== 'none',
    'PLOIDY_S3_ENCRYPTION is given and no store: set PLOIDY_BLOBS, or the bytes go into the data folder as they are.',
  ],
  [
    ({ backupAccessKeyId: id, backupSecretAccessKey: secret }) => (id === '') !== (secret === ''),
    'Set both PLOIDY_BACKUPS_ACCESS_KEY_ID and PLOIDY_BACKUPS_SECRET_ACCESS_KEY, or neither.',
  ],
  [
    ({ backups, dataFolder }) => typeof backups === 'string' && isBelow(backups, resolve(dataFolder)),
    'PLOIDY_BACKUPS is in PLOIDY_DATA_DIR, and would be lost with it: name another place.',
  ],
];

const usesS3 = ({ blobStore, backups }: Compared): boolean =>
  blobStore !== undefined || typeof backups === 'object';

function isBelow(folder: string, outer: string): boolean {
  const path = relative(outer, folder);
  return !(path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path));
}

/** Throws if valid settings contradict each other. */
export function refuseContradictions(config: Compared): void {
  for (const [isGiven, remedy] of contradictions) if (isGiven(config)) throw new ConfigError(remedy);
}
