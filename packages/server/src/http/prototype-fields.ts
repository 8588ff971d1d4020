/** Longest path that an answer tells: a body may be nested as deeply as it is long. */
const pathMax = 200;

/** Whether it is worth a look: the names stand in the text, or could, behind an escape. */
const suspect = /__proto__|constructor|\\u/;

/**
 * The path of a field `__proto__`, or of a `prototype` in a `constructor`, in a value read from this text; `undefined` when there
 * is none. Copying such a field into an object changes what the object is, and no field of ours is called so.
 */
export function reachForPrototype(text: string, value: unknown): string | undefined {
  if (!suspect.test(text)) return undefined;
  // With a list of its own: it may be nested deeper than calls can be.
  const rest = [{ value, path: '' }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { value: parent, path } = next;
    if (typeof parent !== 'object' || parent === null) continue;
    const found = badName(parent);
    if (found !== undefined) return shortened(`${path}/${found}`);
    for (const [name, part] of Object.entries(parent)) {
      if (typeof part === 'object') rest.push({ value: part, path: `${path}/${name}` });
    }
  }
  return undefined;
}

function badName(value: object): string | undefined {
  if (Object.hasOwn(value, '__proto__')) return '__proto__';
  const made = Object.getOwnPropertyDescriptor(value, 'constructor')?.value;
  const reaches = typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype');
  return reaches ? 'constructor/prototype' : undefined;
}

function shortened(path: string): string {
  return path.length > pathMax ? `${path.slice(0, pathMax)}…` : path;
}
