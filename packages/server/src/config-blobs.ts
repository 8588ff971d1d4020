import { ConfigError, readSize, readText, setting } from './config-values.ts';
import type { BlobsSettings, S3Address } from './platform/blobs/index.ts';

/** The settings of the store of bytes; part of those in config.ts. */
export const blobSettings = {
  htsgetCacheBytes: setting(
    'PLOIDY_HTSGET_CACHE',
    readSize('0'),
    '256MiB',
    'bytes',
    'Memory for headers and indexes of BAM and VCF files, so that tickets need not read them again.',
  ),
  blobStore: setting(
    'PLOIDY_BLOBS',
    readBlobStore,
    '',
    'URL',
    'Where the bytes are kept: `s3://bucket/prefix?endpoint=https://…&region=…&pathStyle=true` for an S3-compatible store; `publicEndpoint=` when clients reach it elsewhere. Empty: the data folder.',
  ),
  s3AccessKeyId: setting(
    'PLOIDY_S3_ACCESS_KEY_ID',
    readText,
    '',
    'text',
    'Key id for the store of `PLOIDY_BLOBS`.',
  ),
  s3SecretAccessKey: setting(
    'PLOIDY_S3_SECRET_ACCESS_KEY',
    readText,
    '',
    'text',
    'Secret that belongs to the key id.',
  ),
  cacheMaxBytes: setting(
    'PLOIDY_CACHE_MAX',
    readSize('0'),
    '50GiB',
    'bytes',
    'Local disk for copies of what queries and ingestions read from the store of `PLOIDY_BLOBS`. At least as much as the largest of them reads.',
  ),
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, `X-Amz-Expires` */
const presignedMaxMs = 7 * 86_400_000;

/** Of the whole configuration what concerns the store. */
interface StoreConfig {
  dataFolder: string;
  blobStore: S3Address | undefined;
  s3AccessKeyId: string;
  s3SecretAccessKey: string;
  cacheMaxBytes: number;
  signedUrlLifeMs: number;
}

/** What the store is opened with. */
export function storeSettings(config: StoreConfig): BlobsSettings {
  return {
    dataFolder: config.dataFolder,
    store: config.blobStore,
    accessKeyId: config.s3AccessKeyId,
    secretAccessKey: config.s3SecretAccessKey,
    cacheMaxBytes: config.cacheMaxBytes,
  };
}

/** Throws when settings that are right by themselves do not fit together. */
export function refuseUnfitStore(config: StoreConfig): void {
  const { blobStore, s3AccessKeyId, s3SecretAccessKey, signedUrlLifeMs } = config;
  if (!blobStore) return;
  if (s3AccessKeyId === '' || s3SecretAccessKey === '') {
    throw new ConfigError(
      'PLOIDY_BLOBS needs PLOIDY_S3_ACCESS_KEY_ID and PLOIDY_S3_SECRET_ACCESS_KEY beside it.',
    );
  }
  if (signedUrlLifeMs > presignedMaxMs) {
    throw new ConfigError('PLOIDY_SIGNED_URL_LIFE is at most 7d with PLOIDY_BLOBS: S3 signs for no longer.');
  }
}

const bucketShape = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const prefixShape = /^([a-zA-Z0-9._-]+\/)*$/;
const wanted =
  'PLOIDY_BLOBS should be like s3://bucket/prefix?endpoint=https://host&region=eu-central-1&pathStyle=true, without keys in it.';
const storeParameters = ['endpoint', 'publicEndpoint', 'region', 'pathStyle'];

/** `s3://bucket/prefix?endpoint=https://…&region=…&pathStyle=true`; the text is not repeated when it is wrong, as somebody may have put a key into it. */
function readBlobStore(text: string): S3Address | undefined {
  if (text === '') return undefined;
  const bad = (): never => {
    throw new ConfigError(wanted);
  };
  if (!URL.canParse(text)) return bad();
  const { protocol, hostname, pathname, searchParams, username, password } = new URL(text);
  const prefix = pathname.replace(/^\/|\/$/g, '');
  const region = searchParams.get('region') ?? 'us-east-1';
  const pathStyle = searchParams.get('pathStyle') ?? String(searchParams.has('endpoint'));
  const endpoint = endpointOf(searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`) ?? bad();
  const given = searchParams.get('publicEndpoint');
  const publicEndpoint = given === null ? endpoint : (endpointOf(given) ?? bad());
  const right =
    protocol === 's3:' &&
    bucketShape.test(hostname) &&
    prefixShape.test(prefix && `${prefix}/`) &&
    /^[a-z0-9-]{1,32}$/.test(region) &&
    ['true', 'false'].includes(pathStyle) &&
    username + password === '' &&
    [...searchParams.keys()].every((name) => storeParameters.includes(name));
  if (!right) return bad();
  return {
    bucket: hostname,
    prefix: prefix && `${prefix}/`,
    endpoint,
    publicEndpoint,
    region,
    pathStyle: pathStyle === 'true',
  };
}

function endpointOf(text: string): URL | undefined {
  if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}
