/** Rows that are worked on together. */
export const partMax = 100;

/** Works on everything that is found, a part at a time. */
export async function inParts<T>(
  find: () => Promise<T[]>,
  work: (found: T[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const found = await find();
    await work(found);
    if (found.length < partMax) return;
  }
}
