/** Returns a small deterministic source of numbers from 0 up to `below` (Numerical Recipes' linear congruence). */
export function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Bytes with some of them changed, taken out, doubled, or cut off at the end. */
export function mutated(bytes: Uint8Array, random: (below: number) => number): Buffer {
  let result = Buffer.from(bytes);
  for (let count = random(4) + 1; count > 0; count -= 1) {
    const at = random(result.length);
    const length = random(3) === 0 ? random(300) : 1;
    const extreme = Buffer.from(
      [
        [0xff, 0xff, 0xff, 0x7f],
        [0xff, 0xff, 0xff, 0xff],
        [0, 0, 0, 0x80],
        [0, 0, 0, 0],
      ][random(4)] ?? [],
    );
    const changed = Buffer.from(result);
    changed[at] = random(256);
    const parts = [
      [changed],
      [result.subarray(0, at), extreme, result.subarray(at + extreme.length)],
      [result.subarray(0, at), result.subarray(at + length)],
      [result.subarray(0, at), result.subarray(at, at + length), result.subarray(at)],
      [result.subarray(0, Math.max(1, at))],
    ][random(random(6) === 0 ? 5 : 3)];
    result = Buffer.concat(parts ?? []);
    if (result.length === 0) return Buffer.from([0]);
  }
  return result;
}

/** Characters with a meaning in delimited text, records and XML. */
const insertions = [
  '\t',
  '\n',
  '\r',
  '\t\t',
  ';',
  ',',
  '|',
  '=',
  '0',
  '.',
  '/',
  '<',
  '>',
  '&',
  '[',
  '#',
  '"',
  "'",
  '%',
  ' ',
  '(',
  '*',
  '\u0000',
  '\u0001',
  '\u00ff',
  '-1',
  '1e400',
  '999999999999999999',
];

/** Mutates like `mutated`, with pieces of such texts inserted. */
export function mutatedText(bytes: Uint8Array, random: (below: number) => number): Buffer {
  let result = Buffer.from(bytes);
  for (let count = random(6) + 1; count > 0; count -= 1) {
    const at = random(result.length);
    const length = random(3) === 0 ? random(200) : 1;
    const insertion = Buffer.from(insertions[random(insertions.length)] ?? '', 'latin1');
    const parts = [
      [result.subarray(0, at), insertion, result.subarray(at)],
      [result.subarray(0, at), result.subarray(at + length)],
      [result.subarray(0, at), insertion, result.subarray(at + insertion.length)],
      [result.subarray(0, at), result.subarray(at, at + length), result.subarray(at)],
      [result.subarray(0, Math.max(1, at))],
    ][random(random(10) === 0 ? 5 : 4)];
    result = Buffer.concat(parts ?? []);
  }
  return result;
}
