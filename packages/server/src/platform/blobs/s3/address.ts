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
