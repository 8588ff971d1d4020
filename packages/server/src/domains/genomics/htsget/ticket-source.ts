import type { Chunk } from '@ploidy/formats/binning';
import type { OperationName } from '../../../access/operations.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import type { Wait } from '../../../api/route.ts';
import type { BlobInfo } from '../../../platform/blobs/blobs.ts';
import type { BlockStream } from './blocks/block-stream.ts';
import type { Piece } from './blocks/block-urls.ts';
import type { Header, TicketFormat } from './contents/header.ts';
import type { Region } from './request.ts';

/** Resource that tickets can be made for. */
export interface TicketSource {
  id: string;
  attributes: ResourceAttributes;
  /** Bytes of the file. Problem if there are none. */
  blob(): BlobInfo;
  /** Returns the source of the same file in blocks, made now where it has none: its blob is another one. Problem as of `chunks`. */
  inBlocks?(client: { wait: Wait }): Promise<TicketSource>;
  header(): Promise<Header>;
  /** Returns the bytes of a piece, ready to be concatenated with others. */
  piece(piece: Piece): BlockStream | Promise<BlockStream>;
  /**
   * Finds the chunks that hold the records of regions. Problem 503 while the index is being built; 400 if no index is possible;
   * 404 for an unknown sequence.
   */
  chunks(regions: Region[], client: { wait: Wait; signal: AbortSignal }): Promise<Chunk[]>;
}

/** Endpoint of the standard: reads or variants. */
export interface Kind {
  name: 'reads' | 'variants';
  /** Formats of its files. */
  formats: readonly TicketFormat[];
  /** Operation that permits a ticket. */
  operation: OperationName;
  /**
   * Finds a resource by id; `undefined` if the account has none. With a format that the file has not, finds the one of the same name
   * beside it that has it: nothing is converted.
   */
  find(account: string, id: string, format?: string): Promise<TicketSource | undefined>;
}
