import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type GeneModel, geneModelLines } from '../generator/gene-models.ts';
import { sampleProject } from '../generator/project.ts';
import { basesOf } from '../generator/reads/region.ts';

/** Place of c.1799 of BRAF, whose codon 600 holds V600E and V600K. */
const changed = { position: 140753336, coding: 1799, residues: 766 };
/** Bases of the reference on both sides of the exon. */
const margin = 100;

/** Makes an invented exon of BRAF on GRCh38, with all of its coding bases. Only codon 600 has its true place. */
function gene(): { model: GeneModel; start: number; end: number } {
  const end = changed.position + changed.coding - 1;
  const length = (changed.residues + 1) * 3;
  const start = end - length + 1;
  const transcript = {
    id: 'NM_004333.6',
    exons: [[start, end]],
    coding: [0, length],
    tags: 'MANE_Select',
  } as const;
  const named = {
    chromosome: 'chr7',
    id: 'BRAF',
    symbol: 'BRAF',
    biotype: 'protein_coding',
    isReverse: true,
  };
  return { model: { ...named, transcripts: [transcript] }, start, end };
}

/** Writes gene models and bases that cover BRAF; returns their paths. */
export function writeGenome(folder: string): string[] {
  const { model, start, end } = gene();
  const region = { chromosome: model.chromosome, start: start - margin, end: end + margin };
  const bases = Array.from(basesOf(sampleProject.seed, region));
  // The third base of codon 600, GTG on the other strand.
  bases[changed.position - 1 - region.start] = 'C';
  const files = {
    'genes.gff3': ['##gff-version 3\n#!genome-build GRCh38\n', ...[...geneModelLines([model])].slice(1)].join(
      '',
    ),
    'genes.fa': `>chr7:${region.start}-${region.end} AS:GRCh38\n${bases.join('')}\n`,
  };
  return Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  });
}

/** Writes a VCF without its annotations, as a caller does; returns its path. */
export function writeRaw(folder: string, vcfPath: string): string {
  const path = join(folder, basename(vcfPath));
  const text = readFileSync(vcfPath, 'utf8').replaceAll(/^##INFO=<ID=ANN,.*\n/gm, '');
  writeFileSync(path, text.replaceAll(/;ANN=[^\t;]*/g, ''));
  return path;
}
