/** Division of a file for mapping. */
export interface StretchPlan {
  /** Bytes of text that are mapped at a time. */
  stretchBytes: number;
  /** Mapping threads; a single one reads as well. */
  threadCount: number;
}

/** Stretches of a file: enough to keep all threads busy up to its end. */
const stretchesWanted = 40;
/** Each has row groups of its own, which must not be small; and some of them are in memory. */
const [stretchBytesMin, stretchBytesMax] = [1 << 20, 6 << 20];
/** Approximate bytes of text for one of gzip. */
const inflation = 6;
/** Minimum text for a second thread: less is mapped before it has started. */
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
