import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import type { ConversionOptions, ConvertGenomics } from '@ploidy/engine';
import {
  FastaReader,
  foreignFormat,
  InputError,
  type ReferenceSummary,
  type ReferencesSummary,
  SequenceDigest,
  type SequenceTitle,
  speciesTerm,
  wholeAccount,
} from '@ploidy/formats';
import { readSource, requireEnd } from '../decompressed-source.ts';
import { ReferenceList } from '../reference-list.ts';
import { BasesFile } from './bases-file.ts';

/** Converts a FASTA, plain, gzip or bgzip, into its bases and the metadata of each sequence, in one pass. */
export const convertFasta: ConvertGenomics = async (task, report) => {
  await requireEnd(task, report);
  const bases = await BasesFile.create(join(task.outputFolder, 'bases'));
  const list = await ReferenceList.create(join(task.outputFolder, 'references.ndjson'));
  const sequences = new Sequences(bases);
  try {
    const reader = new FastaReader(sequences);
    let read = 0;
    let isFirst = true;
    for await (const chunk of readSource(task.sourcePath, { onRead: (bytes) => (read = bytes) })) {
      const advice = isFirst ? foreignFormat(chunk) : undefined;
      if (advice !== undefined) throw new InputError(advice);
      isFirst = false;
      reader.take(chunk);
      await bases.settle();
      for (const reference of sequences.finished.splice(0)) await list.add(reference);
      report.progress(read, reader.sequences);
    }
    reader.finish();
    for (const reference of sequences.finished.splice(0)) await list.add(reference);
    report.progress(task.sourceSize, reader.sequences);
    report.account(wholeAccount(reader.sequences));
    if (sequences.emptyCount > 0) report.warn({ message: withoutBases(sequences.emptyCount) });
  } finally {
    await list.close();
    await bases.close();
  }
  return {
    kind: 'references',
    path: bases.path,
    listPath: list.path,
    sequences: sequences.summary(task.options),
  };
};

const withoutBases = (count: number): string =>
  `${count} sequences have a title but no bases: their length is 0. The file may be truncated, or concatenated from others.`;

/** Sequences in the order of the reader. */
class Sequences {
  readonly #bases: BasesFile;
  readonly #digest = new SequenceDigest(md5);
  #title: SequenceTitle | undefined;
  #hash: Hash = createHash('md5');
  #longHash: Hash = createHash('sha512');
  #offset = 0;
  #length = 0;
  #count = 0;
  /** Titles without bases. */
  emptyCount = 0;
  readonly #assemblies = new Set<string | undefined>();
  readonly #species = new Map<string | undefined, ReferenceSummary['species']>();
  /** Complete sequences that are not written yet. */
  readonly finished: ReferenceSummary[] = [];

  constructor(bases: BasesFile) {
    this.#bases = bases;
  }

  begin(title: SequenceTitle): void {
    this.#title = title;
    this.#hash = createHash('md5');
    this.#longHash = createHash('sha512');
    this.#offset += this.#length;
    this.#length = 0;
  }

  bases(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#longHash.update(bytes);
    this.#bases.add(bytes);
    this.#length += bytes.length;
  }

  end(): void {
    const title = this.#title;
    if (!title) return;
    const md5checksum = this.#hash.digest('hex');
    const { name, description, ...known } = title;
    this.#digest.add(name, this.#length, md5checksum);
    this.#assemblies.add(title.assemblyId);
    this.#species.set(title.species?.term, title.species);
    this.#count += 1;
    if (this.#length === 0) this.emptyCount += 1;
    this.finished.push({
      name,
      length: this.#length,
      md5checksum,
      sha512t24u: this.#longHash.digest().subarray(0, 24).toString('base64url'),
      offset: this.#offset,
      ...known,
      attributes: description === undefined ? {} : { description },
    });
  }

  /** Summarises the values that all titles share; options of the request override them. */
  summary(options: ConversionOptions): ReferencesSummary {
    const [assembly] = this.#assemblies.size === 1 ? this.#assemblies : [];
    const [known] = this.#species.size === 1 ? this.#species.values() : [];
    const assemblyId = options.assemblyId ?? assembly;
    const species = options.species === undefined ? known : speciesTerm(options.species);
    return {
      count: this.#count,
      md5checksum: this.#digest.checksum() ?? '',
      shape: this.#digest.shape(),
      ...(assemblyId !== undefined && { assemblyId }),
      ...(species !== undefined && { species }),
      ...(options.sourceUri !== undefined && { sourceUri: options.sourceUri }),
    };
  }
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
