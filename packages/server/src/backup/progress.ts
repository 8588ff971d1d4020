/** Tells how far a long work is, now and then. */
export interface Progress {
  /** So many more are done of a kind, with so many bytes. */
  add(kind: string, count: number, bytes: number): void;
}

const everyMs = 5000;

/** Progress as lines of text, at most one every few seconds; none of a work that is quick. */
export function progressLines(write: (line: string) => void): Progress {
  const done = new Map<string, { count: number; bytes: number }>();
  let toldAt = Date.now();
  return {
    add: (kind, count, bytes) => {
      const before = done.get(kind) ?? { count: 0, bytes: 0 };
      const now = { count: before.count + count, bytes: before.bytes + bytes };
      done.set(kind, now);
      if (Date.now() - toldAt < everyMs) return;
      toldAt = Date.now();
      write(`${kind}: ${now.count} done, ${Math.round(now.bytes / 1e6)} MB\n`);
    },
  };
}
