import { EngineError } from '@ploidy/engine';
import {
  foreignFormat,
  InputError,
  isBam,
  isBcf,
  isCram,
  isFasta,
  isVcf,
  recogniseColumns,
  recognise as recogniseFhir,
  type TabularType,
} from '@ploidy/formats';
import { loneReturn, readSource } from './decompressed-source.ts';
import { formats, type SourceType } from './registry.ts';
import { isStudyArchive } from './study/unpack.ts';
import { reasonOf } from './tabular/open-file.ts';

/** Bytes of uncompressed text that are read. */
const headBytes = 64 * 1024;

type Recognised = Extract<(typeof formats)[number], { recognised: string }>['name'];
type Signed = Exclude<Recognised, TabularType | 'fhir' | 'cbioportal'>;

/** Signatures of formats. A recognised format of the registry without one is a compile error; tables, FHIR and archives need more of the file. */
const signatures: Readonly<Record<Signed, (head: Buffer) => boolean>> = {
  bam: isBam,
  cram: isCram,
  fasta: isFasta,
  gff3: (head) => /^(?:\ufeff)?##gff-version\s+3/.test(head.toString('utf8', 0, 64)),
  vcf: (head) => isBcf(head) || isVcf(head.toString('utf8')),
};

const hasSignature = (format: SourceType): format is Signed => Object.hasOwn(signatures, format);

/**
 * Recognises the format of a file from its content, and in doubt from its name. Rejects with `EngineError` INPUT for an unknown format.
 */
export async function recognise(path: string, name: string): Promise<SourceType> {
  const { bytes: head, isBroken } = await headOf(path);
  if (head.length === 0) throw new EngineError('INPUT', isBroken ? brokenText : emptyText);
  if (await isStudyArchive(path, head)) return 'cbioportal';
  const advice = foreignFormat(head);
  if (advice !== undefined) throw new EngineError('INPUT', advice);
  for (const { name: format } of formats) if (hasSignature(format) && signatures[format](head)) return format;
  const text = head.toString('utf8');
  const isWhole = head.length < headBytes;
  // JSON may have any line end.
  if (text.includes('\r') && !/\n|^\s*[[{]/.test(text)) throw new EngineError('INPUT', loneReturn(1).message);
  const columns = typeOfColumns(text, name, isWhole);
  if (columns) return columns;
  const layout = recogniseFhir(head, isWhole);
  if (typeof layout === 'object') {
    if (isWhole && !ofFhir.test(text)) throw new EngineError('INPUT', otherJson(text));
    return 'fhir';
  }
  if (layout === 'yaml') throw new EngineError('INPUT', yamlText);
  if (layout === 'utf16') throw new EngineError('INPUT', 'The file is UTF-16: save it as UTF-8.');
  // Without the name: callers may see the outcome of an ingestion without access to its file.
  const reason = reasonOf(text.split('\n').find((line) => !line.startsWith('#')) ?? '');
  const what = reason.includes('semicolons')
    ? reason
    : 'the file is not VCF, BCF, BAM, CRAM, FASTA, GFF3, FHIR (NDJSON, Bundle) or a known table (MAF, copy number, fusions, expression), plain or gzipped';
  throw new EngineError(
    'INPUT',
    `The format is not recognised: ${what}. Use the type "table" for a table of your own, or name another type.`,
  );
}

/** Members that resources, Bundles and phenopackets have. */
const ofFhir =
  /"(?:resourceType|phenotypicFeatures|phenotypic_features|metaData|meta_data|subject|proband|biosamples|interpretations|pedigree)"\s*:/;

/** JSON of programs, by what only they write. */
const jsonOfPrograms: readonly (readonly [program: string, mark: RegExp])[] = [
  ['Nirvana', /"annotator"\s*:\s*"(?:Nirvana|Illumina)/i],
  ['Ensembl VEP', /"most_severe_consequence"/],
  ['OpenCRAVAT', /"(?:crx|cravat)\w*"/i],
  ['PharmCAT', /"pharmcat\w*"/i],
  ['openEHR', /"archetype_node_id"/],
  ['GA4GH VRS', /"type"\s*:\s*"Allele"/],
];

function otherJson(text: string): string {
  const [program] = jsonOfPrograms.find(([, mark]) => mark.test(text)) ?? [];
  const what = program === undefined ? 'JSON without resourceType' : `JSON of ${program}`;
  return `The format is not recognised: this is ${what}, not FHIR. Annotations are read of a VCF; use the type "table" for NDJSON of your own.`;
}

function typeOfColumns(text: string, fileName: string, isWhole: boolean): SourceType | undefined {
  try {
    return recogniseColumns(text, { fileName, isWhole })?.format.type;
  } catch (error) {
    if (error instanceof InputError) throw new EngineError('INPUT', error.message, { line: error.line });
    throw error;
  }
}

const yamlText =
  'The file is YAML. Write it as JSON (yq -o=json), which is read: a phenopacket or a FHIR resource.';
const emptyText = 'The file is empty: there is nothing to ingest.';
const brokenText = 'The compressed file ends too early or is damaged: its format cannot be recognised.';

/** Readable start of a file. */
interface Head {
  bytes: Buffer;
  /** The compressed content ends within it; the converter reports the reason. */
  isBroken: boolean;
}

async function headOf(path: string): Promise<Head> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isBroken = false;
  try {
    for await (const chunk of readSource(path, { chunkBytes: headBytes })) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= headBytes) break;
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    isBroken = true;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, headBytes), isBroken };
}
