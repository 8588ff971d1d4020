import type { Work } from '../threads.ts';
import { type MappedStretch, StretchMapper, type StretchSettings } from './stretch-mapper.ts';

/** Whole lines of a VCF, to be mapped. */
export interface Stretch {
  memory: ArrayBuffer;
  /** Bytes of its lines, each with its end. */
  byteCount: number;
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
    const mapped = mapper.map(Buffer.from(stretch.memory, 0, stretch.byteCount), smallGroupsLeft);
    const outcome: StretchOutcome = { ...stretch, ...mapped };
    const groups = mapped.groups.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    return { outcome, moved: [stretch.memory, ...groups] };
  };
}
