import { type Header, textAt } from './header.ts';

/** Maximum length of a value: longer lists (names of reads, sequences) are useless in a table. */
const textLengthMax = 4096;

/** Builds the column `attributes`: the columns of a file without a column of their own, as JSON. */
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

/** Formats an object as JSON; undefined for an empty one. */
export function jsonOf(attributes: Record<string, unknown>): string | undefined {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : JSON.stringify(Object.fromEntries(present));
}

/** Numbers with all their digits, also trailing zeros. Leading zeros and `1E5` are parts of ids. */
const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-][0-9]{1,3})?$/i;

/** Keeps numbers as written, and as JSON numbers unless reading them would lose digits. */
function numberOrText(text: string): unknown {
  return number.test(text) && text.replace(/\D/g, '').length <= 15 ? JSON.rawJSON(text) : text;
}
