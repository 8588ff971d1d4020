import type { Chunk } from '@ploidy/formats';
import { requireSignedUrl, signUrl } from '../../platform/blobs/signed-url.ts';
import { notFound } from '../../problem.ts';

export interface BlockUrlSettings {
  /** HMAC key for these addresses alone. */
  key: Uint8Array;
  /** Where clients reach the service, without a slash at the end. */
  publicUrl: () => string;
  lifeMs: number;
}

/**
 * A part of a file: what lies between two places, or of that only the blocks which begin between two bytes of the file. Pieces of large
 * chunks are told by such bytes: where blocks begin there is looked up when they are sent.
 */
export interface Piece extends Chunk {
  from?: number;
  to?: number;
}

/** What an address is for. */
export interface BlockTarget {
  /** Path of the route, with account and id. */
  path: string;
  /** Tells the bytes of the file from others that it may have later. */
  version: string;
  /** Who asked for the ticket: what is sent counts as read by him. */
  userId: string;
}

const purpose = 'GET blocks';

/** Addresses of pieces of files: signed, expiring, good for nothing else. */
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

  /** What an address of ours says. Problem 403 when it is forged, changed or expired. */
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

/** Tells the bytes of a blob from all others. */
export function versionOf(blob: { sha256: string }): string {
  return blob.sha256.slice(0, 16);
}
