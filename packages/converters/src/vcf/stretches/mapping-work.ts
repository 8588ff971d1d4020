import type { Work } from '../../threads.ts';
import type { BlockStretch } from './block-stretches.ts';
import { readStretch } from './block-text.ts';
import type { Stretch } from './stretch-cutter.ts';
import { type MappedStretch, StretchMapper, type StretchSettings } from './stretch-mapper.ts';

export interface StretchTask {
  source: Stretch | BlockStretch;
  /** Maximum small groups. */
  smallGroupsLeft: number;
}

/** Returned with the stretch, whose memory can be reused; of blocks only where a part of its text is still needed. */
export type StretchOutcome = Stretch & MappedStretch;

/** Creates the work of one thread on the stretches of a file. */
export function openMapping(settings: StretchSettings): Work<StretchTask> {
  // Where threads do the work, the distributing thread needs no columns of its own.
  let mapper: StretchMapper | undefined;
  return ({ source, smallGroupsLeft }) => {
    mapper ??= new StretchMapper(settings);
    const isOfBlocks = 'path' in source;
    const stretch = isOfBlocks ? readStretch(source) : source;
    const mapped = mapper.map(stretch, smallGroupsLeft);
    const outcome: StretchOutcome = { ...stretch, ...mapped };
    if (isOfBlocks && mapped.structural.length + mapped.broken.length === 0) {
      // Freed at once: a few of them would trigger full garbage collections.
      stretch.memory.transfer(0);
      outcome.memory = new ArrayBuffer(0);
    }
    const groups = mapped.groups.flatMap(({ bytes, calls }) =>
      [bytes, ...(calls ? [calls.bytes] : [])].map(({ buffer }) => buffer as ArrayBuffer),
    );
    return { outcome, moved: [outcome.memory, ...groups] };
  };
}
