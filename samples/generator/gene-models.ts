/** Gene with its transcripts, as a GFF3 has it. */
export interface GeneModel {
  chromosome: string;
  id: string;
  symbol: string;
  isReverse: boolean;
  biotype: string;
  transcripts: readonly TranscriptModel[];
}

/** Positions count from 1, the end included, in the order of the chromosome. */
export interface TranscriptModel {
  id: string;
  exons: readonly (readonly [number, number])[];
  /** Range of the coding bases along the transcript, from 0 and without its end. */
  coding: readonly [number, number] | undefined;
  tags?: string;
}

type Line = [type: string, start: number, end: number, phase: string];

/** Writes gene models as Ensembl does, with a line that ends each gene. */
export function* geneModelLines(genes: readonly GeneModel[]): Generator<string> {
  yield '##gff-version 3\n';
  for (const gene of genes) {
    const row = ([type, start, end, phase]: Line, attributes: string): string =>
      `${[gene.chromosome, 'sample', type, start, end, '.', gene.isReverse ? '-' : '+', phase, attributes].join('\t')}\n`;
    const ends = gene.transcripts.flatMap(({ exons }) => exons.flat());
    const whole: Line = ['gene', Math.min(...ends), Math.max(...ends), '.'];
    yield row(whole, `ID=gene:${gene.id};Name=${gene.symbol};biotype=${gene.biotype};gene_id=${gene.id}`);
    for (const { id, exons, coding, tags } of gene.transcripts) {
      const biotype = coding ? 'protein_coding' : 'lincRNA';
      const [start, end] = [exons[0]?.[0] ?? 0, exons.at(-1)?.[1] ?? 0];
      const tag = tags === undefined ? '' : `;tag=${tags}`;
      yield row(
        [coding ? 'mRNA' : 'lnc_RNA', start, end, '.'],
        `ID=transcript:${id};Parent=gene:${gene.id};biotype=${biotype}${tag};transcript_id=${id}`,
      );
      for (const part of partsOf(exons, coding, gene.isReverse)) {
        const protein = part[0] === 'CDS' ? `ID=CDS:P${id};protein_id=P${id};` : '';
        yield row(part, `${protein}Parent=transcript:${id}`);
      }
    }
    yield '###\n';
  }
}

/** Exons, coding ranges and untranslated ends by position. */
function partsOf(
  exons: TranscriptModel['exons'],
  coding: TranscriptModel['coding'],
  isReverse: boolean,
): Line[] {
  const parts: Line[] = [];
  let before = 0;
  for (const [start, end] of isReverse ? exons.toReversed() : exons) {
    const length = end - start + 1;
    parts.push(['exon', start, end, '.']);
    /** Adds a part by its range along the exon. */
    const add = (type: string, from: number, to: number, phase = '.'): void => {
      if (to <= from) return;
      parts.push([
        type,
        isReverse ? end - to + 1 : start + from,
        isReverse ? end - from : start + to - 1,
        phase,
      ]);
    };
    if (coding) {
      const from = Math.min(length, Math.max(0, coding[0] - before));
      const to = Math.max(from, Math.min(length, coding[1] - before));
      const phase = (3 - ((before + from - coding[0]) % 3)) % 3;
      if (before < coding[0]) add('five_prime_UTR', 0, from);
      add('CDS', from, to, String(phase));
      if (before + length > coding[1]) add('three_prime_UTR', Math.max(0, coding[1] - before), length);
    }
    before += length;
  }
  return parts.sort((left, right) => left[1] - right[1]);
}
