/**
 * `xxhash64` as an expression of the engine, which has no function of that kind: XXH64 with the seed 0
 * (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md). Numbers have 128 bits, of which `mask` keeps the lower 64.
 */
const [p1, p2, p3, p4, p5] = [
  11400714785074694791n,
  14029467366897019727n,
  1609587929392839161n,
  9650029242287828579n,
  2870177450012600261n,
].map((prime) => `${prime}::UHUGEINT`) as [string, string, string, string, string];
const mask = `${2n ** 64n - 1n}::UHUGEINT`;

const low = (x: string): string => `((${x}) & ${mask})`;
const rotated = (x: string, bits: number): string =>
  low(`(${x} << ${bits}::UHUGEINT) | (${x} >> ${64 - bits}::UHUGEINT)`);
const round = (x: string, lane: string): string =>
  low(`${rotated(low(`${x} + ${lane} * ${p2}`), 31)} * ${p1}`);

/** Little-endian number of so many bytes, of which `_ploidy_b` holds the hexadecimal digits. `index`: how many such numbers are before it. */
function number(index: string, bytes: number): string {
  const digits = Array.from(
    { length: bytes },
    (_, at) => `substr(_ploidy_b, CAST(${index} * ${2 * bytes} + ${2 * (bytes - at) - 1} AS BIGINT), 2)`,
  );
  return `CAST(CAST('0x' || ${digits.join(' || ')} AS UBIGINT) AS UHUGEINT)`;
}

const size = '(len(_ploidy_b) // 2)';
/**
 * The start is the first element: with a start beside the list, the engine mixes up rows where lists differ in length. Elements have
 * the type of the result; another would make floats of both.
 */
const fold = (list: string, start: string, next: string): string =>
  `list_reduce(list_prepend(${start}, CAST(${list} AS UHUGEINT[])), lambda _ploidy_h, _ploidy_i: ${next})`;
const h = '_ploidy_h';

/** The four accumulators over stripes of 32 bytes. */
const lanes = [low(`${p1} + ${p2}`), p2, '0::UHUGEINT', low(`${mask} - ${p1} + 1::UHUGEINT`)].map(
  (start, lane) =>
    fold(`range(${size} // 32)`, start, round(h, `_ploidy_w[CAST(_ploidy_i AS BIGINT) * 4 + ${lane + 1}]`)),
);
const sum = low([1, 7, 12, 18].map((bits, lane) => rotated(`_ploidy_l[${lane + 1}]`, bits)).join(' + '));
const merged = fold('_ploidy_l', sum, low(`xor(${h}, ${round('0::UHUGEINT', '_ploidy_i')}) * ${p1} + ${p4}`));
const begun = `CASE WHEN ${size} < 32 THEN ${p5} ELSE list_transform([[${lanes.join(', ')}]], lambda _ploidy_l: ${merged})[1] END`;

/** Bytes after the last stripe: by eights, by four, by one. */
const eights = fold(
  `range(${size} // 32 * 4, ${size} // 8)`,
  low(`${begun} + CAST(${size} AS UHUGEINT)`),
  low(
    `${rotated(`xor(${h}, ${round('0::UHUGEINT', '_ploidy_w[CAST(_ploidy_i AS BIGINT) + 1]')})`, 27)} * ${p1} + ${p4}`,
  ),
);
const four = fold(
  `range(${size} // 8 * 2, ${size} // 4)`,
  eights,
  low(`${rotated(`xor(${h}, ${low(`${number('_ploidy_i', 4)} * ${p1}`)})`, 23)} * ${p2} + ${p3}`),
);
const ones = fold(
  `range(${size} // 4 * 4, ${size})`,
  four,
  low(`${rotated(`xor(${h}, ${low(`${number('_ploidy_i', 1)} * ${p5}`)})`, 11)} * ${p1}`),
);
const spread = fold(
  '[1, 2, 3]',
  ones,
  low(
    `xor(${h}, ${h} >> ([33, 29, 32][CAST(_ploidy_i AS INTEGER)])::UHUGEINT) * [${p2}, ${p3}, 1::UHUGEINT][CAST(_ploidy_i AS INTEGER)]`,
  ),
);

const refusal = "error('xxhash64 takes bytes, such as to_utf8(text)')";
const bytes = `list_transform([b], lambda _ploidy_a: CASE WHEN _ploidy_a IS NULL THEN NULL WHEN system.main.typeof(_ploidy_a) = 'BLOB' THEN hex(_ploidy_a) ELSE ${refusal} END)`;

/** `name(a) AS body`, as macros.ts has them. */
export const xxhash64 = `xxhash64(b) AS list_transform(${bytes}, lambda _ploidy_b: list_transform([list_transform(range(${size} // 8), lambda _ploidy_i: ${number('_ploidy_i', 8)})], lambda _ploidy_w: unhex(lpad(hex(CAST(${spread} AS UBIGINT)), 16, '0')))[1])[1]`;
