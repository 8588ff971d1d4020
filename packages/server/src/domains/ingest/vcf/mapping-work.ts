import type { Work } from '../threads.ts';
import type { BlockStretch } from './block-stretches.ts';
import { readStretch } from './block-text.ts';
import { type MappedStretch, StretchMapper, type StretchSettings } from './stretch-mapper.ts';

/** Whole lines of a VCF, to be mapped. */
export interface Stretch {
  memory: ArrayBuffer;
  /** Where its text begins, with lines that are of others. */
  start: number;
  /** Bytes of lines before it, which are of another stretch. */
  before: number;
  /** Where its lines end, each with its end. */
  byteCount: number;
  /** Where the lines behind it end, which are of others. */
  textBytes: number;
  /** Of the source, read up to its end. */
  sourceBytes: number;
  /** Whether a line of it was left out that is longer than lines may be: the one behind its others. */
  isCutShort?: boolean;
}

export interface StretchTask {
  source: Stretch | BlockStretch;
  /** How many groups with few rows it may make. */
  smallGroupsLeft: number;
}

/** With the stretch, whose memory can be used again; of blocks only where something of its text is still asked for. */
export type StretchOutcome = Stretch & MappedStretch;

/** What one thread does with the stretches of a file. */
export function openMapping(settings: StretchSettings): Work<StretchTask> {
  // Where threads do the work, the thread that hands it out needs no columns of its own.
  let mapper: StretchMapper | undefined;
  return ({ source, smallGroupsLeft }) => {
    mapper ??= new StretchMapper(settings);
    const isOfBlocks = 'path' in source;
    const stretch = isOfBlocks ? readStretch(source) : source;
    const mapped = mapper.map(stretch, smallGroupsLeft);
    const outcome: StretchOutcome = { ...stretch, ...mapped };
    if (isOfBlocks && mapped.structural.length + mapped.broken.length === 0) {
      // Given back at once: a few of them would have the collector of garbage go through everything.
      stretch.memory.transfer(0);
      outcome.memory = new ArrayBuffer(0);
    }
    const groups = mapped.groups.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    return { outcome, moved: [outcome.memory, ...groups] };
  };
}
