/** Parses a BAI with its bins sorted by number: programs write them in different orders. */
export interface PlainIndex {
  references: { bins: [bin: number, chunks: string][]; linear: string }[];
  unplaced: string | undefined;
}

/** Reads a BAI (SAM spec §5.2). */
export function readIndex(bytes: Buffer): PlainIndex {
  let at = 4;
  const next = (): number => {
    at += 4;
    return bytes.readUInt32LE(at - 4);
  };
  const offsets = (count: number): string => {
    const list = Array.from({ length: count }, (_, index) => bytes.readBigUInt64LE(at + index * 8));
    at += count * 8;
    return list.join();
  };
  const references: PlainIndex['references'] = [];
  for (let left = next(); left > 0; left -= 1) {
    const bins: [number, string][] = [];
    for (let count = next(); count > 0; count -= 1) {
      const bin = next();
      bins.push([bin, offsets(next() * 2)]);
    }
    bins.sort(([a], [b]) => a - b);
    references.push({ bins, linear: offsets(next()) });
  }
  return { references, unplaced: at + 8 <= bytes.length ? offsets(1) : undefined };
}
