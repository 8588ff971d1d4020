import { find, textOf } from '../../../bytes.ts';
import type { Dictionary } from '../../../parquet/index.ts';
import { significanceOfNumber } from '../../clinical.ts';
import { classicEffects, groupOfEffect } from '../../effects.ts';

const percent = 37;

/**
 * Decodes `%3B` → `;` (VCF 4.3 §1.2). A percent sign that starts no code stays, and so does a code that is no UTF-8. The result
 * has no separator of rows.
 */
export function decoded(text: string): string {
  const plain = text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes; // No UTF-8: it is kept as written.
    }
  });
  return plain.replaceAll(/[\t\r\n\u001f]/g, ' ');
}

/**
 * Converts clinical significance to ClinVar's current form. Until 2017 it had numbers: one group per allele, separated by
 * commas, in a group one per submission, separated by `|`.
 */
export function significance(text: string, alternate: number, alternateCount: number): string {
  if (!/^[0-9|,]+$/.test(text)) return decoded(text);
  const groups = text.split(',');
  const own = groups.length === alternateCount ? (groups[alternate - 1] ?? '') : text;
  const words = (own.match(/[0-9]+/g) ?? []).map((number) => significanceOfNumber.get(number) ?? number);
  return [...new Set(words)].sort().join('|');
}

/** Returns the first effect that belongs to a group, else the first; annotators put the gravest first. */
export function effectClass(terms: string, shape: 'fields' | 'classic'): string {
  const list =
    shape === 'classic' ? terms.split('+').map((term) => classicEffects.get(term) ?? term) : terms.split('&');
  return list.find((term) => groupOfEffect.has(term)) ?? list[0] ?? '';
}

/** Returns the index of a range of the line among the texts, decoded. */
export function decodedText(bytes: Uint8Array, start: number, end: number, texts: Dictionary): number {
  if (find(bytes, percent, start, end) < 0) return texts.take(bytes, start, end);
  return added(decoded(textOf(bytes, start, end)), texts);
}

/** Returns the index of a text among the texts; -1 when it is empty. */
export function added(text: string, texts: Dictionary): number {
  texts.begin().text(text);
  return texts.end();
}
