import type { Work } from '../../threads.ts';
import type { BlockStretch } from './block-stretches.ts';
import { readStretch } from './block-text.ts';
import type { Stretch } from './stretch-cutter.ts';
import { type MappedStretch, StretchMapper, type StretchSettings } from './stretch-mapper.ts';

export interface StretchTask {
  source: Stretch | BlockStretch;
  /** Number of groups with few rows that it may make. */
  smallGroupsLeft: number;
}

/** With the stretch, whose memory can be used again; of blocks only where something of its text is still asked for. */
export type StretchOutcome = Stretch & MappedStretch;

/** Creates the work of one thread on the stretches of a file. */
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
    const groups = mapped.groups.flatMap(({ bytes, calls }) =>
      [bytes, ...(calls ? [calls.bytes] : [])].map(({ buffer }) => buffer as ArrayBuffer),
    );
    return { outcome, moved: [outcome.memory, ...groups] };
  };
}
