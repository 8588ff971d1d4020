/** Division of a file for mapping. */
export interface StretchPlan {
  /** Bytes of text that are mapped at a time. */
  stretchBytes: number;
  /** Threads that map; with one it is the one that reads. */
  threadCount: number;
}

/** Stretches of a file: enough to keep all threads busy up to its end. */
const stretchesWanted = 40;
/** Each has row groups of its own, which shall not be small; and some of them are in memory. */
const [stretchBytesMin, stretchBytesMax] = [1 << 20, 6 << 20];
/** Bytes of text that gzip makes of one, about. */
const inflation = 6;
/** Less text is mapped before another thread has started. */
const threadedBytesMin = 32 << 20;

/** Plans the division of a file among a maximum number of threads. */
export function stretchPlan(sourceSize: number, isCompressed: boolean, threads: number): StretchPlan {
  const textBytes = sourceSize * (isCompressed ? inflation : 1);
  const share = Math.ceil(textBytes / stretchesWanted);
  return {
    stretchBytes: Math.min(Math.max(share, stretchBytesMin), stretchBytesMax),
    threadCount: textBytes < threadedBytesMin ? 1 : threads,
  };
}
