import http from 'node:http';
import https from 'node:https';
import type { S3ClientConfig } from '@aws-sdk/client-s3';

/** Address of an S3-compatible store: the value of `PLOIDY_BLOBS`. */
export interface S3Address {
  bucket: string;
  /** Begins the key of every object of ours; '' or ends with a slash. */
  prefix: string;
  /** Origin, and a path where the store is below one. */
  endpoint: URL;
  /** Endpoint at which clients reach the store: signed addresses begin with it. */
  publicEndpoint: URL;
  region: string;
  /** `https://endpoint/bucket/key` instead of `https://bucket.endpoint/key`. */
  pathStyle: boolean;
}

/** Connections by the scheme of an address. */
export interface Agents {
  http: http.Agent;
  https: https.Agent;
}

/** Credentials and headers of requests to the store. */
export interface S3Access {
  /** A fixed key; absent: the SDK's chain (environment, profile, web identity, role of the container or instance). */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** Set for a public bucket: requests are not signed, and no credentials are looked for. */
  isAnonymous?: boolean;
  /** Connections of the requests; absent: of the store's own. */
  agents?: Agents;
  /** Encryption at rest; `none`: as the bucket is configured. */
  encryption: 'none' | 'AES256' | 'aws:kms';
  /** Key of AWS KMS; '': the one of the bucket or account. */
  kmsKeyId: string;
}

/** A connection on which nothing moves for this long is given up. */
export const idleMs = 15_000;
/** Limit where the store copies or joins large objects before it answers. */
export const slowIdleMs = 600_000;

/** Configures the SDK for an endpoint. `socketTimeout`: milliseconds without a byte. */
export function sdkConfig(
  address: S3Address,
  endpoint: URL,
  socketTimeout: number,
  access: S3Access,
): S3ClientConfig {
  const { agents } = access;
  return {
    ...identityOf(access),
    region: address.region,
    endpoint: endpoint.href.replace(/\/$/, ''),
    forcePathStyle: address.pathStyle,
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    // Checksums in trailers, the default, are refused by older compatible stores; each body has its SHA-256 in a header.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // The SDK's own goes to the console; failures are in the errors.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    // `Attempts` repeats requests: the SDK does not where a body is a stream.
    maxAttempts: 1,
    requestHandler: {
      httpAgent: agents?.http ?? new http.Agent({ keepAlive: true }),
      httpsAgent: agents?.https ?? new https.Agent({ keepAlive: true }),
      socketTimeout,
    },
  };
}

const ignore = (): void => undefined;

/** Returns the credentials: a fixed key, none, or those that the SDK finds around the service. */
function identityOf({ credentials, isAnonymous }: S3Access): Partial<S3ClientConfig> {
  if (!isAnonymous) return credentials ? { credentials } : {};
  const signer = { sign: async <T>(request: T): Promise<T> => request };
  return { credentials: { accessKeyId: 'nobody', secretAccessKey: 'nothing' }, signer };
}

const bucketShape = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const prefixShape = /^([a-zA-Z0-9._-]+\/)*$/;
const parameters = ['endpoint', 'publicEndpoint', 'region', 'pathStyle'];

/** Parses `s3://bucket/prefix?endpoint=https://…&region=…&pathStyle=true`; `undefined` if it is none. */
export function parseAddress(text: string): S3Address | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, pathname, searchParams, username, password } = new URL(text);
  const prefix = pathname.replace(/^\/|\/$/g, '');
  const region = searchParams.get('region') ?? 'us-east-1';
  const pathStyle = searchParams.get('pathStyle') ?? String(searchParams.has('endpoint'));
  const endpoint = endpointOf(searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`);
  const given = searchParams.get('publicEndpoint');
  const publicEndpoint = given === null ? endpoint : endpointOf(given);
  const isRight =
    protocol === 's3:' &&
    bucketShape.test(hostname) &&
    prefixShape.test(prefix && `${prefix}/`) &&
    /^[a-z0-9-]{1,32}$/.test(region) &&
    ['true', 'false'].includes(pathStyle) &&
    username + password === '' &&
    [...searchParams.keys()].every((name) => parameters.includes(name));
  if (!isRight || endpoint === undefined || publicEndpoint === undefined) return undefined;
  const place = { bucket: hostname, prefix: prefix && `${prefix}/`, region };
  return { ...place, endpoint, publicEndpoint, pathStyle: pathStyle === 'true' };
}

function endpointOf(text: string): URL | undefined {
  if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}
