import { ByteWriter } from '../../bytes.ts';
import { AlleleHash } from '../../vcf/rows/alleles/allele-hash.ts';
import type { MafAllele } from './alleles.ts';

const key = new ByteWriter(1 << 10);
const digits = new ByteWriter(16);
const hashing = new AlleleHash();

/** `<set>:<hash>:<gene>`, with the hash that the same allele has in rows of a VCF (docs/formats/vcf.md). */
export function variantId(
  setId: string,
  chromosome: string,
  { position, reference, alternate }: MafAllele,
  gene: string | undefined,
): string {
  key.length = 0;
  key.text(`${chromosome}\t${position}\t${reference}\u001f${alternate}`);
  hashing.start();
  hashing.add(key.bytes, 0, key.length);
  digits.length = 0;
  hashing.write(digits);
  return `${setId}:${String.fromCharCode(...digits.written)}:${gene ?? ''}`;
}
