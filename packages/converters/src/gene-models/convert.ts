import { join } from 'node:path';
import type { Convert } from '@ploidy/engine';
import {
  type Account,
  GeneModels,
  type GenomeBuild,
  geneModel,
  genomeBuildOfAccessions,
  genomeBuildOfHeader,
  InputError,
  startOf,
  writeTranscript,
} from '@ploidy/formats';
import { loneReturn, readSource, requireEnd } from '../decompressed-source.ts';
import { agreedBuild, buildOf, onBuild } from '../tables/genome-build.ts';
import { TableFile } from '../tables/table-file.ts';

/** Maximum characters of a line; the longest attributes of public gene sets have some thousand. */
const lineLengthMax = 1 << 20;

/** Converts a GFF3 of Ensembl, GENCODE or RefSeq, plain or gzipped, into the transcripts of `_gene_model`. */
export const convertGeneModels: Convert = async (task, sql, report) => {
  await requireEnd(task, report);
  const path = join(task.outputFolder, `${geneModel.name}.parquet`);
  const file = new TableFile(path, { ...geneModel, orderBy: ['chromosome', 'start_position'] });
  const lines = new ModelLines(file);
  try {
    let read = 0;
    const onRead = (bytes: number): void => {
      read = bytes;
    };
    const decoder = new TextDecoder();
    let rest = '';
    let mayFollow = true;
    for await (const chunk of readSource(task.sourcePath, { onRead })) {
      const text = rest + decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      if (rest.length > lineLengthMax)
        throw new InputError('A line is too long for a GFF3.', { line: lines.lineCount + 1 });
      mayFollow = lines.take(text.slice(0, end));
      if (!mayFollow) break;
      report.progress(read, file.rowCount);
    }
    if (mayFollow) lines.take(rest);
    const build = buildOf(task, lines.build);
    const { transcripts, inexact, orphans } = lines.end();
    report.account(lines.account);
    if (transcripts === 0)
      throw new InputError(
        'The file holds no transcript: a GFF3 of gene models has exons or coding ranges (CDS) with a Parent.',
      );
    await file.end(sql);
    report.progress(task.sourceSize, file.rowCount);
    if (inexact > 0)
      report.warn({
        message: `${inexact} transcripts have other bases or another reading frame than the genome: changes of their codons are unknown.`,
      });
    if (orphans > 0)
      report.warn({
        message: `The exons of ${orphans} features have no parent in the file: they were left out.`,
      });
    const agreed = agreedBuild(task, build, lines.buildsOfSequences, report);
    return onBuild([{ table: geneModel.name, path, rows: file.rowCount }], agreed);
  } finally {
    file.close();
  }
};

/** Reads the lines of a GFF3: features, and directives about the genome. */
class ModelLines {
  lineCount = 0;
  #featureCount = 0;
  readonly #models: GeneModels;
  /** Directives about the genome, as a header of a VCF has them. */
  readonly #facts: string[] = [];
  readonly #sequences = new Set<string>();

  constructor(file: TableFile) {
    this.#models = new GeneModels((transcript) => {
      file.add({
        chromosome: transcript.chromosome,
        start_position: startOf(transcript),
        gene: transcript.gene,
        transcript_id: transcript.id,
        model: writeTranscript(transcript),
      });
    });
  }

  get build(): GenomeBuild | undefined {
    return genomeBuildOfHeader(this.#facts);
  }

  get buildsOfSequences(): ReadonlySet<GenomeBuild> {
    const build = genomeBuildOfAccessions(this.#sequences);
    return new Set(build === undefined ? [] : [build]);
  }

  /** Account of its features. */
  get account(): Account {
    return this.#models.book.account(this.#featureCount);
  }

  end(): GeneModels['counts'] {
    this.#models.end();
    return this.#models.counts;
  }

  /** Takes whole lines; returns whether features may follow. */
  take(text: string): boolean {
    for (const line of text.split('\n')) {
      this.lineCount += 1;
      const row = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (row.includes('\r')) throw loneReturn(this.lineCount);
      if (row === '##FASTA' || row.startsWith('>')) return false;
      if (row.startsWith('#')) this.#directive(row);
      else if (row !== '') this.#feature(row);
    }
    // Behind the last line end.
    this.lineCount -= 1;
    return true;
  }

  #feature(row: string): void {
    const columns = row.split('\t');
    const fault = this.#models.take(columns);
    if (fault !== undefined)
      throw new InputError(`Line ${this.lineCount} is not a feature of a GFF3: ${fault}.`, {
        line: this.lineCount,
      });
    this.#featureCount += 1;
    this.#sequences.add(columns[0] ?? '');
  }

  #directive(row: string): void {
    if (row === '###') this.#models.end();
    const [name = '', first = '', start = '', end = ''] = row.split(/\s+/);
    if (name === '##sequence-region' && start === '1')
      this.#facts.push(`##contig=<ID=${first},length=${end}>`);
    else if (/^#(?:!genome-(?:build|version)|#genome-build|description:)/.test(row))
      this.#facts.push(`##reference=${row.replace(/^#\S+/, '')}`);
  }
}
