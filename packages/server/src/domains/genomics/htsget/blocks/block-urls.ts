import type { Chunk } from '@ploidy/formats';
import { notFound } from '../../../../base/problem.ts';
import { requireSignedUrl, signUrl } from '../../../../platform/blobs/signed-url.ts';

export interface BlockUrlSettings {
  /** HMAC key for these addresses only. */
  key: Uint8Array;
  /** Public address of the service, without a trailing slash. */
  publicUrl: () => string;
  lifeMs: number;
}

/**
 * Part of a file between two virtual offsets. `from` and `to` limit it to blocks that begin in that byte
 * range. Large chunks are split by bytes; the block boundaries are found when they are sent.
 */
export interface Piece extends Chunk {
  from?: number;
  to?: number;
}

/** Resource and user of an address. */
export interface BlockTarget {
  /** Path of the route, with account and id. */
  path: string;
  /** Identifies the bytes of the file, which may change later. */
  version: string;
  /** User who requested the ticket; downloads are attributed to this user. */
  userId: string;
}

const purpose = 'GET blocks';

/** Signed, expiring addresses of parts of files. */
export class BlockUrls {
  readonly #settings: BlockUrlSettings;

  constructor(settings: BlockUrlSettings) {
    this.#settings = settings;
  }

  url(target: BlockTarget, { begin, end, from, to }: Piece, now: number): string {
    const { key, lifeMs, publicUrl } = this.#settings;
    const parameters = {
      of: target.version,
      user: target.userId,
      begin: String(begin),
      end: String(end),
      ...(from !== undefined && { from: String(from) }),
      ...(to !== undefined && { to: String(to) }),
    };
    return `${publicUrl()}${signUrl(key, { purpose, path: target.path, parameters, expiresAt: now + lifeMs })}`;
  }

  /** Verifies an address and returns its content. Problem 403 if it is forged, changed or expired. */
  read(url: string, now: number): { version: string; userId: string; piece: Piece } {
    const {
      of: version,
      user: userId,
      begin,
      end,
      from,
      to,
    } = requireSignedUrl(this.#settings.key, purpose, url, now);
    if (version === undefined || userId === undefined) throw notFound();
    const piece = {
      begin: Number(begin),
      end: Number(end),
      ...(from !== undefined && { from: Number(from) }),
      ...(to !== undefined && { to: Number(to) }),
    };
    return { version, userId, piece };
  }
}

/** Returns an identifier of a blob's bytes. */
export function versionOf(blob: { sha256: string }): string {
  return blob.sha256.slice(0, 16);
}
