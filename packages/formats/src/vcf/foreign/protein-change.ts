/**
 * Translates changes of proteins in letters into HGVS as VEP writes it. Without certainty the result is undefined
 * (https://hgvs-nomenclature.org, protein level).
 */
import { aminoAcids } from './amino-acids.ts';

const letter = '[ACDEFGHIKLMNPQRSTUVWXY*]';
const lettersMax = 4096;
/** Letter of an unknown residue in `bcftools csq`. */
const only = /^[ACDEFGHIKLMNPQRSTUVWY*]*$/;

/** `VE` → `ValGlu`. */
function named(letters: string): string {
  return [...letters].map((one) => aminoAcids[one]).join('');
}

const substitution = new RegExp(`^p\\.(${letter})(\\d+)(${letter}|[=?])$`);
const shift = new RegExp(`^p\\.(${letter})(\\d+)(${letter})?fs(?:[X*](\\d+|\\?))?$`);
const extension = new RegExp(`^p\\.[X*](\\d+)(${letter})ext[X*](\\d+|\\?)$`);
const stretch = new RegExp(
  `^p\\.(${letter})(\\d+)(?:_(${letter})(\\d+))?(del|dup|ins|delins)(${letter}{0,${lettersMax}})$`,
);

/**
 * Translates `p.V600E` (ANNOVAR, Funcotator) → `p.Val600Glu`; undefined for other notations than HGVS: `p.14_15del`,
 * `p.746_751ELREAT>A`.
 */
export function namedChange(change: string): string | undefined {
  const text = change.replace(/^p\.\((.*)\)$/, 'p.$1');
  return ofSubstitution(text) ?? ofShift(text) ?? ofExtension(text) ?? ofStretch(text);
}

const bare = /^(?:[A-Z*]|[A-Z][a-z]{2})\d+(?:[A-Z*=?]|[A-Z][a-z]{2}|fs\b.*|del|dup)$/;
const residues = /^p\.(?:[A-Z][a-z]{2}|[X*])\d/;
const unchanged = /^p\.([A-Z][a-z]{2})(\d+)\1$/;

/**
 * Spells a change as VEP does, so that equal changes are equal texts. Brackets of what is predicted go, residues have three
 * letters. A stop is `Ter` (`*` in SnpEff, `X` before HGVS 2.0), a residue that stays `=` (`p.Leu53Leu` in SnpEff). Another
 * notation stays as written.
 */
export function spelledChange(written: string): string {
  // SnpEff before 4.0 has no `p.`: `Q10*`.
  const change = written.replace(/^p\.\((.+)\)$/, 'p.$1').replace(bare, 'p.$&');
  const named = namedChange(change);
  if (named !== undefined || !residues.test(change)) return named ?? change;
  return change
    .replaceAll('*', 'Ter')
    .replace(/X(?=\d*$)/, 'Ter')
    .replace(/^p\.X(?=\d)/, 'p.Ter')
    .replace(unchanged, 'p.$1$2=');
}

/** Returns whether bytes hold a substitution of residues in three letters that needs no other spelling. */
export function isSpelled(bytes: Uint8Array, start: number, end: number): boolean {
  const isCapital = (at: number): boolean => (bytes[at] ?? 0) >= 65 && (bytes[at] ?? 0) <= 90;
  if (!isCapital(start + 2) || (bytes[start + 3] ?? 0) < 97 || !isCapital(end - 3)) return false;
  for (let at = start; at < end; at += 1) if ((bytes[at] ?? 0) < 46 || bytes[at] === 88) return false;
  return [0, 1, 2].some((at) => bytes[start + 2 + at] !== bytes[end - 3 + at]);
}

function ofSubstitution(change: string): string | undefined {
  const [, from = '', at = '', to = ''] = substitution.exec(change) ?? [];
  return at === '' ? undefined : substituted(from, at, to);
}

function substituted(from: string, at: string, to: string): string {
  if (to === '?' || to === '=') return `p.${named(from)}${at}${to}`;
  if (named(from) === named(to)) return `p.${named(from)}${at}=`;
  // A lost stop extends the protein by an unknown length (`extTer?`).
  return `p.${named(from)}${at}${named(to)}${named(from) === 'Ter' ? 'extTer?' : ''}`;
}

function ofShift(change: string): string | undefined {
  const [, from = '', at = '', to = '', length] = shift.exec(change) ?? [];
  if (at === '') return undefined;
  const end = length === undefined ? '' : `Ter${length}`;
  return `p.${named(from)}${at}${named(to)}fs${end}`;
}

function ofExtension(change: string): string | undefined {
  const [, at = '', to = '', length = ''] = extension.exec(change) ?? [];
  return at === '' ? undefined : `p.Ter${at}${named(to)}extTer${length}`;
}

function ofStretch(change: string): string | undefined {
  const [, from = '', at = '', last, end, kind = '', letters = ''] = stretch.exec(change) ?? [];
  const isInsertion = kind.endsWith('ins');
  if (at === '' || isInsertion !== letters.length > 0 || (kind === 'ins' && last === undefined))
    return undefined;
  const upTo = last === undefined ? '' : `_${named(last)}${end}`;
  return `p.${named(from)}${at}${upTo}${kind}${named(letters)}`;
}

const both = /^(\d+)([^>\d][^>]*)(>\d*(?:[^>\d][^>]*)?)?$/;

/**
 * Parses a change of `bcftools csq`, the residues before and after, `14LKG*>14LKA*`, for one allele. Undefined for deletions
 * and insertions: HGVS moves them as far to the end of the protein as possible, beyond these residues. Undefined for
 * abbreviated ones too (`14L..20`).
 */
export function stretchChange(change: string, isShift: boolean): string | undefined {
  const [, start = '', before = '', changed] = both.exec(change) ?? [];
  const after = changed === undefined ? before : changed.replace(/^>\d*/, '');
  if (start === '' || before === '' || after === '' || !only.test(before) || !only.test(after))
    return undefined;
  let same = 0;
  while (same < before.length && same < after.length && before[same] === after[same]) same += 1;
  const at = Number(start) + same;
  const [from, to] = [before[same] ?? '', after[same] ?? ''];
  if (before === after) return before.length === 1 ? substituted(before, start, before) : undefined;
  if (from === '' || to === '') return undefined;
  if (to === '*') return substituted(from, String(at), to);
  if (isShift) return from === '*' ? undefined : shifted(from, at, after.slice(same));
  if (before.length !== after.length || after.includes('*')) return undefined;
  let cut = 0;
  while (before.at(-1 - cut) === after.at(-1 - cut)) cut += 1;
  const end = before.length - cut;
  if (end === same + 1) return substituted(from, String(at), to);
  if (before.includes('*')) return undefined;
  const last = `${named(before[end - 1] ?? '')}${Number(start) + end - 1}`;
  return `p.${named(from)}${at}_${last}delins${named(after.slice(same, end))}`;
}

/** Finds the first residue that changes, and the distance of the new stop from it. */
function shifted(from: string, at: number, after: string): string {
  const stop = after.indexOf('*');
  return `p.${named(from)}${at}${named(after[0] ?? '')}fsTer${stop < 0 ? '?' : stop + 1}`;
}
