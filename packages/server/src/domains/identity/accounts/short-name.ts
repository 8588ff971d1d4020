/** Latin letters that Unicode does not decompose into a letter and a mark. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'ng',
  ŧ: 't',
};

/**
 * Derives an id from a name: `St. Mary's Hospital` → `st-mary-s-hospital`, `Ärzte GmbH` → `arzte-gmbh`. Empty
 * when no letter or digit remains.
 */
export function shortName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^a-z0-9]/gu, (sign) => letters[sign] ?? '-')
    .replace(/-+/g, '-')
    .replace(/^-/, '')
    .slice(0, 28)
    .replace(/-$/, '');
}
