import http from 'node:http';
import https from 'node:https';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Address } from './address.ts';

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
