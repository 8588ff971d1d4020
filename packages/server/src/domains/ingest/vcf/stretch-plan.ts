/** How a file is divided for mapping. */
export interface StretchPlan {
  /** Bytes of text that are mapped at a time. */
  stretchBytes: number;
  /** Threads that map; with one it is the one that reads. */
  threadCount: number;
}

/** Of a file: so many that all threads have something to do up to its end. */
const stretchesWanted = 40;
/** Each has row groups of its own, which shall not be small; and some of them are in memory. */
const [stretchBytesMin, stretchBytesMax] = [1 << 20, 6 << 20];
/** Bytes of text that gzip makes of one, about. */
const inflation = 6;
/** Less text is mapped before another thread has started. */
const threadedBytesMin = 32 << 20;

/** How a file of this size is divided among so many threads at most. */
export function stretchPlan(sourceSize: number, isCompressed: boolean, threads: number): StretchPlan {
  const textBytes = sourceSize * (isCompressed ? inflation : 1);
  const share = Math.ceil(textBytes / stretchesWanted);
  return {
    stretchBytes: Math.min(Math.max(share, stretchBytesMin), stretchBytesMax),
    threadCount: textBytes < threadedBytesMin ? 1 : threads,
  };
}
