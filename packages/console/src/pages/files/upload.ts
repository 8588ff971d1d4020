/** A file on its way to the service. */
export interface Upload {
  key: string;
  project: string;
  name: string;
  size: number;
  sent: number;
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled';
  /** The service cannot be reached; the upload goes on once it can. */
  isStalled?: boolean;
  error?: Error;
  file: File;
  ingest: boolean;
  overwrite: boolean;
  stop: AbortController;
}

/** Indexes and checksums of files: they are kept, and there is nothing in them to ingest. */
const companions = /\.(?:bai|csi|tbi|crai|fai|gzi|md5|sha256)$/i;

/** Returns the announcement of a file to the service. */
export function bodyOf({ project, name, file, size, ingest: wanted, overwrite }: Upload) {
  const ingest = wanted && !companions.test(name);
  // Browsers take variants for address cards, which have the same ending.
  const type = file.type === 'text/x-vcard' || file.type === 'text/vcard' ? 'text/plain' : file.type;
  const contentType = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? { contentType: type } : {};
  return {
    name,
    datasetId: project,
    size,
    ...contentType,
    ...(ingest && { ingest }),
    ...(overwrite && { overwrite }),
  };
}
