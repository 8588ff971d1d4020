import { type Header, textAt } from './header.ts';

/** Longer lists (names of reads, sequences) are of no use in a table. */
const textLengthMax = 4096;

/** Makes the column `attributes`: what the columns of a file that have no column of their own say, as JSON. */
export function attributesOf(
  header: Header,
  usedPlaces: Iterable<number>,
): (fields: readonly string[], further?: Record<string, unknown>) => string | undefined {
  const used = new Set(usedPlaces);
  const kept = header.names.flatMap((name, place) =>
    used.has(place) || name === '' ? [] : [[name, place] as const],
  );
  return (fields, further = {}) => {
    const found = kept.flatMap(([name, place]) => {
      const text = textAt(fields, place);
      return text !== undefined && text.length <= textLengthMax ? [[name, numberOrText(text)]] : [];
    });
    return jsonOf({ ...further, ...Object.fromEntries(found) });
  };
}

/** An object as JSON; undefined when nothing is in it. */
export function jsonOf(attributes: Record<string, unknown>): string | undefined {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : JSON.stringify(Object.fromEntries(present));
}

/** Numbers with all of their digits, also zeros at the end. Zeros in front and `1E5` are of ids. */
const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-][0-9]{1,3})?$/i;

/** Numbers as numbers, as they are written, unless digits would be lost when they are read. */
function numberOrText(text: string): unknown {
  return number.test(text) && text.replace(/\D/g, '').length <= 15 ? JSON.rawJSON(text) : text;
}
