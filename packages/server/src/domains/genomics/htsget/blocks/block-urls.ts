import type { Chunk } from '@ploidy/formats';
import type { Caller } from '../../../../access/caller.ts';
import { notFound } from '../../../../base/problem.ts';
import type { SignedAddresses } from '../../../identity/addresses/index.ts';

/**
 * Part of a file between two virtual offsets. `from` and `to` limit it to blocks that begin in that byte
 * range. Large chunks are split by bytes; the block boundaries are found when they are sent.
 */
export interface Piece extends Chunk {
  from?: number;
  to?: number;
}

/** Resource and holder of an address. */
export interface BlockTarget {
  /** Path of the route, with account and id. */
  path: string;
  /** Identifies the bytes of the file, which may change later. */
  version: string;
  /** Caller who requested the ticket: its addresses end with the credential of that request. */
  holder: Pick<Caller, 'via'>;
}

const purpose = 'GET blocks';

/** Signed, expiring addresses of parts of files. */
export class BlockUrls {
  readonly #addresses: SignedAddresses;

  constructor(addresses: SignedAddresses) {
    this.#addresses = addresses;
  }

  url({ version, path, holder }: BlockTarget, { begin, end, from, to }: Piece): string {
    const parameters = {
      of: version,
      begin: String(begin),
      end: String(end),
      ...(from !== undefined && { from: String(from) }),
      ...(to !== undefined && { to: String(to) }),
    };
    return this.#addresses.sign({ purpose, path, parameters, holder });
  }

  /** Opens an address and returns its content, with its caller as of now. */
  async open(url: string): Promise<{ version: string; caller: Caller; piece: Piece }> {
    const { caller, parameters } = await this.#addresses.open(purpose, url);
    const { of: version, begin, end, from, to } = parameters;
    if (version === undefined) throw notFound();
    const piece = {
      begin: Number(begin),
      end: Number(end),
      ...(from !== undefined && { from: Number(from) }),
      ...(to !== undefined && { to: Number(to) }),
    };
    return { version, caller, piece };
  }
}

/** Returns an identifier of a blob's bytes. */
export function versionOf(blob: { sha256: string }): string {
  return blob.sha256.slice(0, 16);
}
