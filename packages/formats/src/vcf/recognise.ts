import { fieldPatterns } from './record.ts';

const record = new RegExp(
  `^[^\\t#]+\\t${fieldPatterns.position}\\t[^\\t]*\\t${fieldPatterns.bases}\\t${fieldPatterns.alternate}(,[^\\t]*)?(\\t[^\\t]*){3,}$`,
);

/** Returns whether the start of a text is a VCF: by its file format line, its column line, or its first record. */
export function isVcf(beginning: string): boolean {
  const lines = beginning.replace(/^\ufeff/, '').split(/\r?\n/);
  for (const line of lines) {
    if (/^##fileformat=VCF/i.test(line) || /^#CHROM\s+POS\s/i.test(line)) return true;
    if (line !== '' && !line.startsWith('##')) return record.test(line);
  }
  return false;
}
