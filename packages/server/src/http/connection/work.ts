import type { Visitor } from '../access/visitors.ts';
import type { LoadShedding } from './load-shedding.ts';
import type { Waits } from './waits.ts';

export interface WorkDeps {
  shedding: LoadShedding;
  waits: Waits;
}

/** Holds a request while `held` waits. */
export type Hold = <T>(held: () => Promise<T>) => Promise<T>;

/**
 * Handles a request as one of the requests at work, and not as one while it is held. `isCounted`: reports whether it is among them
 * at all.
 */
export async function atWork<T>(
  { shedding, waits }: WorkDeps,
  { visitor, isCounted }: { visitor: Visitor; isCounted: boolean },
  work: (hold: Hold) => Promise<T>,
): Promise<T> {
  const hold: Hold = async (held) => {
    waits.start(visitor);
    if (isCounted) shedding.end(visitor);
    try {
      return await held();
    } finally {
      waits.end(visitor);
      if (isCounted) shedding.resume(visitor);
    }
  };
  if (!isCounted) return work(hold);
  await shedding.start(visitor);
  try {
    return await work(hold);
  } finally {
    shedding.end(visitor);
  }
}
