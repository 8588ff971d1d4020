import type { Work } from '../threads.ts';
import { type MappedStretch, StretchMapper, type StretchSettings } from './stretch-mapper.ts';

/** Whole lines of a VCF, to be mapped. */
export interface Stretch {
  memory: ArrayBuffer;
  /** Bytes of lines before it, which are of another stretch. */
  before: number;
  /** Where its lines end, each with its end. */
  byteCount: number;
  /** Where the lines behind it end, which are of others. */
  textBytes: number;
  /** Of the source, read up to its end. */
  sourceBytes: number;
}

export interface StretchTask extends Stretch {
  /** How many groups with few rows it may make. */
  smallGroupsLeft: number;
}

/** With the stretch, whose memory can be used again. */
export type StretchOutcome = Stretch & MappedStretch;

/** What one thread does with the stretches of a file. */
export function openMapping(settings: StretchSettings): Work<StretchTask> {
  // Where threads do the work, the thread that hands it out needs no columns of its own.
  let mapper: StretchMapper | undefined;
  return ({ smallGroupsLeft, ...stretch }) => {
    mapper ??= new StretchMapper(settings);
    const mapped = mapper.map(stretch, smallGroupsLeft);
    const outcome: StretchOutcome = { ...stretch, ...mapped };
    const groups = mapped.groups.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    return { outcome, moved: [stretch.memory, ...groups] };
  };
}
