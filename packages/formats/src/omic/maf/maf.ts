import { ByteWriter } from '../../bytes.ts';
import { Header, RecordFault, textAt } from '../../delimited/index.ts';
import { clinicalKeys } from '../../vcf/clinical.ts';
import { AlleleHash } from '../../vcf/rows/alleles/allele-hash.ts';
import type { OpenFile, Opening, TabularFormat } from '../format.ts';
import { chromosomeNeeded } from '../genome.ts';
import { NamedBuilds } from '../named-builds.ts';
import { isRecognised, listed, type MafProfile } from '../profile.ts';
import { type MafAllele, MafAlleles } from './alleles.ts';
import { annotationColumns } from './columns.ts';
import { evidenceOf, judgementOf } from './evidence.ts';
import { frequenciesOf } from './frequencies.ts';

const needed = ['Hugo_Symbol', 'Chromosome', 'Start_Position', 'Reference_Allele', 'Tumor_Sample_Barcode'];
const mutated = 'Tumor_Seq_Allele2';

/** Reads tables of mutations as a profile describes them: by the columns of a MAF with the same content. */
export function mafFormat(profile: MafProfile): TabularFormat {
  return {
    type: 'maf',
    name: profile.program,
    marksHeader: true,
    open: (opening) => {
      const { header } = opening;
      if (!isRecognised(profile, header)) return undefined;
      const names = [...header.names];
      for (const [name, own] of Object.entries(profile.renamed)) {
        const place = header.place(...listed(own));
        if (place >= 0) names[place] = name;
      }
      const onePer = (profile.onePer ?? []).map((name) => header.place(name));
      return opened({ ...opening, header: new Header(names) }, onePer);
    },
  };
}

/** `onePer`: columns that are equal in the lines of one mutation for several transcripts. */
function opened({ header, comments, setId, passOnly }: Opening, onePer: readonly number[]): OpenFile {
  const alleles = new MafAlleles(header);
  const annotation = annotationColumns(header);
  const frequencies = frequenciesOf(header);
  const builds = new NamedBuilds(header.place('NCBI_Build'));
  const evidence = evidenceOf(header);
  const judgement = judgementOf(header);
  const [strand, chromosome, sample, filter] = [
    header.place('Strand'),
    header.place('Chromosome'),
    header.place('Tumor_Sample_Barcode'),
    header.place('FILTER'),
  ];
  let emptyCount = 0;
  let reverseCount = 0;
  let [last, transcriptCount] = ['', 0];
  const sampleCount = header.place(...clinicalKeys.cosmicSampleCount);
  return {
    samples: sequencedSamples(comments),
    hasFilter: filter >= 0,
    hasCalls: evidence !== undefined,
    hasDrivers: judgement !== undefined,
    rows(fields) {
      header.check(fields);
      if (passOnly && !hasPassed(textAt(fields, filter))) return [];
      if (fields[strand]?.trim() === '-') {
        reverseCount += 1;
        return [];
      }
      const key = onePer.map((place) => textAt(fields, place) ?? '').join('\t');
      if (onePer.length > 0 && key === last) {
        transcriptCount += 1;
        return [];
      }
      last = key;
      builds.read(fields);
      const sampleId = textAt(fields, sample);
      if (sampleId === undefined) throw new RecordFault('Tumor_Sample_Barcode is missing', sample + 1);
      const name = chromosomeNeeded(fields, chromosome);
      const shared = annotation(fields);
      const gene = shared['gene'] as string | undefined;
      const found = alleles.read(fields);
      if (found.length === 0) emptyCount += 1;
      const calls = evidence?.read(fields);
      return found.map((allele) => ({
        ...shared,
        ...calls,
        driver: judgement?.(fields),
        ...allele,
        ...frequencies.read(fields, allele.alternate),
        variant_id: variantId(setId, name, allele, gene),
        sample_id: sampleId,
        chromosome: name,
        cosmic_sample_count: shared['cosmic_id'] === undefined ? undefined : countAt(fields, sampleCount),
      }));
    },
    genomeBuild: () => builds.only,
    doubts: () => evidence?.doubts() ?? [],
    remarks: () => [
      ...builds.remarks,
      ...(evidence?.remarks() ?? []),
      ...frequencies.remarks(),
      ...(alleles.unanchoredCount === 0 ? [] : [unanchored(alleles.unanchoredCount)]),
      ...(reverseCount === 0 ? [] : [onReverse(reverseCount)]),
      ...(transcriptCount === 0 ? [] : [ofTranscripts(transcriptCount)]),
      ...(header.has(mutated) ? [] : [withoutMutated(emptyCount)]),
    ],
  };
}

function unanchored(count: number): string {
  return `The file lacks the base before ${count} insertions and deletions: it is written as N.`;
}

/** Warns of the reverse strand: the format has the alleles of the forward strand alone; whether these are complements is unknown. */
function onReverse(count: number): string {
  return `${count} records are on the strand - and were left out: the alleles of a MAF are on the strand +. Correct Strand, or the alleles.`;
}

const ofTranscripts = (count: number): string =>
  `${count} lines repeat the mutation of the line before for another transcript of the gene, and were left out.`;

/** Most programs write the reference into the first allele, and the variant into the second. */
function withoutMutated(emptyCount: number): string {
  return `The file has no column ${mutated}: ${emptyCount} records whose Tumor_Seq_Allele1 is the reference gave no row.`;
}

function hasPassed(filter: string | undefined): boolean {
  return filter === undefined || filter === 'PASS';
}

function countAt(fields: readonly string[], place: number): number | undefined {
  const text = textAt(fields, place);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** cBioPortal lists all examined samples, with mutations or without: `#sequenced_samples: A B`. */
function sequencedSamples(comments: readonly string[]): string[] {
  const line = comments.find((comment) => comment.startsWith('sequenced_samples:')) ?? '';
  return [...new Set(line.split(/\s+/).slice(1))].filter((name) => name !== '');
}

/** Returns the MAF columns that are missing in a file that a request declares as a MAF. */
export function missingMafColumns(header: Header): string[] {
  const alleles = header.hasOne('Tumor_Seq_Allele1', mutated) ? [] : [mutated];
  return [...needed.filter((name) => !header.has(name)), ...alleles];
}

const key = new ByteWriter(1 << 10);
const digits = new ByteWriter(16);
const hashing = new AlleleHash();

/** `<set>:<hash>:<gene>`, with the hash that the same allele has in rows of a VCF (docs/formats/vcf.md). */
function variantId(
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
