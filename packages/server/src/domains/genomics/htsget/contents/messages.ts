import type { Chunk } from '@ploidy/formats/binning';
import type { BlobInfo, ByteRange } from '../../../../platform/blobs/blobs.ts';
import type { Region } from '../request.ts';
import type { Header } from './header.ts';

/** Format as which the bytes of a file are read. */
type ReadAs = 'BAM' | 'CRAM' | 'VARIANTS';

/** File whose contents are asked for. */
export interface Asked {
  blob: BlobInfo;
  readAs: ReadAs;
}

/** Places of records in the file: those of the regions, by the index of the file. */
export interface ChunkQuestion extends Asked {
  index: BlobInfo;
  regions: Region[];
}

export type Question = { kind: 'header'; of: Asked } | { kind: 'chunks'; of: ChunkQuestion };

/** Result of a question. `refused`: why the file is not given. `failedRead`: the number of a read of a blob. */
export type Outcome =
  | { header: Header }
  | { chunks: Chunk[] }
  | { refused: string }
  | { isNameUnknown: true }
  | { failedRead: number }
  | { failed: string };

export type ToThread =
  | { kind: 'question'; id: number; question: Question }
  | { kind: 'abort'; id: number }
  | { kind: 'bytes'; id: number; bytes: Uint8Array<ArrayBuffer> | undefined };

export type FromThread =
  | { kind: 'outcome'; id: number; outcome: Outcome }
  | { kind: 'read'; id: number; key: string; range: ByteRange };
