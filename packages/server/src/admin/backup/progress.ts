/** Progress of long work. */
export interface Progress {
  /** Adds finished items and bytes of a kind. */
  add(kind: string, count: number, bytes: number): void;
}

const everyMs = 5000;

/** Writes progress lines, at most one every few seconds, and none for quick work. */
export function progressLines(write: (line: string) => void): Progress {
  const done = new Map<string, { count: number; bytes: number }>();
  let reportedAt = Date.now();
  return {
    add: (kind, count, bytes) => {
      const before = done.get(kind) ?? { count: 0, bytes: 0 };
      const now = { count: before.count + count, bytes: before.bytes + bytes };
      done.set(kind, now);
      if (Date.now() - reportedAt < everyMs) return;
      reportedAt = Date.now();
      write(`${kind}: ${now.count} done, ${Math.round(now.bytes / 1e6)} MB\n`);
    },
  };
}
