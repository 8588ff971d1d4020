import { resolve } from 'node:path';
import { type BlobsSettings, parseAddress, type S3Access, type S3Address } from '../platform/blobs/index.ts';
import { ConfigError, readSize, readText, readWord, setting } from './values.ts';

/** Settings of the blob store; config.ts includes them. */
export const blobSettings = {
  blobStore: setting(
    'PLOIDY_BLOBS',
    readBlobStore,
    '',
    'URL',
    'Blob store: `s3://bucket/prefix?endpoint=https://…&region=…&pathStyle=true` for an S3-compatible store; `publicEndpoint=` if clients use another address. Empty: the data folder.',
  ),
  s3AccessKeyId: setting(
    'PLOIDY_S3_ACCESS_KEY_ID',
    readText,
    '',
    'text',
    'Key id for the store of `PLOIDY_BLOBS`. Empty: credentials of the AWS environment, profile, web identity, container or instance role.',
  ),
  s3SecretAccessKey: setting('PLOIDY_S3_SECRET_ACCESS_KEY', readText, '', 'text', 'Secret of the key id.'),
  s3Encryption: setting(
    'PLOIDY_S3_ENCRYPTION',
    readEncryption,
    'none',
    'text',
    'Encryption at rest that is asked of the store: `AES256`, `aws:kms` (with the key of the bucket or account), `aws:kms:` and the id or ARN of a key, or `none`: as its bucket is configured.',
  ),
  diskReserveBytes: setting(
    'PLOIDY_DISK_RESERVE',
    (text, variable) => (text === '' ? undefined : readSize('0')(text, variable)),
    '',
    'bytes',
    'Disk space that uploads, results and temporary files leave free for start, records and deletion. Empty: a twentieth of the disk, at most 1 GiB.',
  ),
  backups: setting(
    'PLOIDY_BACKUPS',
    readBackups,
    '',
    'path or URL',
    'Place of backups for `ploidy admin backup` and `restore`: a folder, or `s3://…` as in `PLOIDY_BLOBS`.',
  ),
  backupAccessKeyId: setting(
    'PLOIDY_BACKUPS_ACCESS_KEY_ID',
    readText,
    '',
    'text',
    'Key id for the store of `PLOIDY_BACKUPS`. Empty: that of `PLOIDY_S3_ACCESS_KEY_ID`.',
  ),
  backupSecretAccessKey: setting(
    'PLOIDY_BACKUPS_SECRET_ACCESS_KEY',
    readText,
    '',
    'text',
    'Secret of that key id.',
  ),
  cacheMaxBytes: setting(
    'PLOIDY_CACHE_MAX',
    readSize('0'),
    '50GiB',
    'bytes',
    'Local disk cache of blobs from `PLOIDY_BLOBS` that queries and ingestions read. At least as much as the largest of them reads.',
  ),
};

/**
 * Maximum of `X-Amz-Expires`: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
const presignedMaxMs = 7 * 86_400_000;

/** Settings that concern the store. */
interface StoreConfig {
  dataFolder: string;
  blobStore: S3Address | undefined;
  s3AccessKeyId: string;
  s3SecretAccessKey: string;
  s3Encryption: Pick<S3Access, 'encryption' | 'kmsKeyId'>;
  cacheMaxBytes: number;
  wholeMaxBytes?: number;
  diskReserveBytes: number | undefined;
  signedUrlLifeMs: number;
}

/** Collects the settings of the store. */
export function storeSettings(config: StoreConfig): BlobsSettings {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  return {
    dataFolder: config.dataFolder,
    store: config.blobStore,
    access: {
      credentials: accessKeyId === '' ? undefined : { accessKeyId, secretAccessKey },
      ...config.s3Encryption,
    },
    cacheMaxBytes: config.cacheMaxBytes,
    ...(config.wholeMaxBytes !== undefined && { wholeMaxBytes: config.wholeMaxBytes }),
    reserveBytes: config.diskReserveBytes,
  };
}

/** Collects the credentials of the store of backups. */
export function backupAccess(
  config: StoreConfig & { backupAccessKeyId: string; backupSecretAccessKey: string },
): S3Access {
  const { access } = storeSettings(config);
  if (config.backupAccessKeyId === '') return access;
  const [accessKeyId, secretAccessKey] = [config.backupAccessKeyId, config.backupSecretAccessKey];
  return { ...access, credentials: { accessKeyId, secretAccessKey } };
}

/** Throws if valid settings contradict each other. */
export function refuseUnfitStore(config: StoreConfig): void {
  const { blobStore, s3AccessKeyId, s3SecretAccessKey, signedUrlLifeMs } = config;
  if (!blobStore) return;
  if ((s3AccessKeyId === '') !== (s3SecretAccessKey === '')) {
    throw new ConfigError(
      'Set both PLOIDY_S3_ACCESS_KEY_ID and PLOIDY_S3_SECRET_ACCESS_KEY, or neither to use the credentials of the environment.',
    );
  }
  if (signedUrlLifeMs > presignedMaxMs) {
    throw new ConfigError(
      'PLOIDY_SIGNED_URL_LIFE is at most 7d with PLOIDY_BLOBS: S3 signs no longer addresses.',
    );
  }
}

/** Returns the origins of the store that browsers use besides the service. */
export function storeOrigins({ blobStore }: Pick<StoreConfig, 'blobStore'>): string[] {
  if (!blobStore) return [];
  const { publicEndpoint, bucket, pathStyle } = blobStore;
  const { origin, protocol, host } = publicEndpoint;
  return [pathStyle ? origin : `${protocol}//${bucket}.${host}`];
}

/** Reads `none`, `AES256`, `aws:kms` or `aws:kms:<key>`. */
function readEncryption(text: string, variable: string): Pick<S3Access, 'encryption' | 'kmsKeyId'> {
  const [, key] = /^aws:kms:(.+)$/.exec(text) ?? [];
  if (key !== undefined) return { encryption: 'aws:kms', kmsKeyId: key };
  return { encryption: readWord(['none', 'AES256', 'aws:kms'])(text, variable), kmsKeyId: '' };
}

const wanted =
  'should be like s3://bucket/prefix?endpoint=https://host&region=eu-central-1&pathStyle=true, without keys in it.';

/** Reads the address of a store. Errors do not repeat the value, as it may hold a key. */
function readBlobStore(text: string, variable: string): S3Address | undefined {
  if (text === '') return undefined;
  const address = parseAddress(text);
  if (address === undefined) throw new ConfigError(`${variable} ${wanted}`);
  return address;
}

/** Reads the place of backups: a folder, made absolute, or an address of a store. */
export function readBackups(text: string, variable: string): string | S3Address | undefined {
  if (text === '') return undefined;
  return text.startsWith('s3:') ? readBlobStore(text, variable) : resolve(text);
}
