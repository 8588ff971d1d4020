/** Where an S3-compatible store is: what `PLOIDY_BLOBS` says. */
export interface S3Address {
  bucket: string;
  /** Begins the key of every object of ours; '' or ends with a slash. */
  prefix: string;
  /** Origin, and a path where the store lives below one. */
  endpoint: URL;
  /** The same store as clients reach it: signed addresses begin with it. */
  publicEndpoint: URL;
  region: string;
  /** `https://endpoint/bucket/key` instead of `https://bucket.endpoint/key`. */
  pathStyle: boolean;
}

/** Who asks. */
export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** The origin and the percent-encoded path of an object, or of the bucket when there is no key. */
export function urlOf(address: S3Address, endpoint: URL, key?: string): { origin: string; path: string } {
  const base = endpoint.pathname.replace(/\/+$/, '');
  const object = key === undefined ? '' : encodePath(key);
  if (address.pathStyle) {
    return {
      origin: endpoint.origin,
      path: `${base}/${encodeText(address.bucket)}${object && `/${object}`}`,
    };
  }
  const origin = `${endpoint.protocol}//${address.bucket}.${endpoint.host}`;
  return { origin, path: `${base}/${object}` };
}

/** RFC 3986: everything but unreserved characters, as SigV4 wants it. */
export function encodeText(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The same with the slashes left as they are. */
export function encodePath(key: string): string {
  return key.split('/').map(encodeText).join('/');
}
