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

/** Credentials and headers of requests to the store. */
export interface S3Access {
  /** A fixed key; absent: the SDK's chain (environment, profile, web identity, role of the container or instance). */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
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
export function sdkConfig(address: S3Address, endpoint: URL, socketTimeout: number): S3ClientConfig {
  return {
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
      httpAgent: new http.Agent({ keepAlive: true }),
      httpsAgent: new https.Agent({ keepAlive: true }),
      socketTimeout,
    },
  };
}

const ignore = (): void => undefined;
