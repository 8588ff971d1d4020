import { genes as allGenes, type Gene } from './genes.ts';
import type { Person } from './people.ts';
import { randomOf } from './random.ts';

/** Numbers of copies that are typical of a disease, by gene. */
const typicalCopies: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  melanoma: { CDKN2A: 0, PTEN: 1, BRAF: 3 },
  lung: { EGFR: 8, CDKN2A: 1 },
  breast: { PIK3CA: 4, TP53: 1 },
  colon: { APC: 1, MYC: 4 },
  ovary: { MYC: 7, TP53: 1 },
};

interface Fusion {
  genes: readonly [string, string];
  breakpoints: readonly [chromosome: string, position: number, chromosome: string, position: number];
  effect: string;
}

const bcrAbl1: Fusion = {
  genes: ['BCR', 'ABL1'],
  breakpoints: ['chr22', 23290413, 'chr9', 130854064],
  effect: 'translocation',
};
const agkBraf: Fusion = {
  genes: ['AGK', 'BRAF'],
  breakpoints: ['chr7', 141255367, 'chr7', 140787584],
  effect: 'inversion',
};

const genes = allGenes.filter(({ isReal }) => isReal);

/** Some genes of a person that are neither lost nor gained as a rule. */
const othersPerPerson = 12;

const hasDisease = (person: Person, name: string): boolean =>
  person.story.diseases.some((disease) => disease.name === name && !disease.isRefuted);

/** Lines of a table of `copynumber`, the header first. */
export function* copyNumberLines(people: Iterable<Person>, count: () => void): Generator<string> {
  yield 'sample_id,gene,copy_number,chromosome,start_position,end_position,interpretation\n';
  for (const person of people) {
    const copies = copiesOf(person);
    for (const gene of genes) {
      const number = copies.get(gene.symbol);
      if (number === undefined) continue;
      count();
      const interpretation = number === 0 || number > 5 ? 'likely pathogenic' : '';
      yield `${[person.sampleName, gene.symbol, number, gene.chromosome, gene.start, gene.end, interpretation].join(',')}\n`;
    }
  }
}

function copiesOf(person: Person): Map<string, number> {
  const random = randomOf(person.seed, 'copies', person.index);
  const copies = new Map<string, number>();
  for (let other = 0; other < othersPerPerson; other += 1)
    copies.set(random.pick(genes).symbol, random.pick([1, 2, 2, 2, 2, 3]));
  for (const [disease, typical] of Object.entries(typicalCopies)) {
    if (!hasDisease(person, disease)) continue;
    for (const [symbol, number] of Object.entries(typical)) copies.set(symbol, number);
  }
  return copies;
}

/** Lines of a table of `fusion`, the header first: leukemia by BCR–ABL1, a melanoma whose BRAF could not be called by AGK–BRAF. */
export function* fusionLines(people: Iterable<Person>, count: () => void): Generator<string> {
  yield 'sample_id,gene1,gene2,effect,chromosome1,start_position1,end_position1,chromosome2,start_position2,end_position2,sequence_type,in_frame,junction_reads\n';
  for (const person of people) {
    const fusion = fusionOf(person);
    if (!fusion) continue;
    count();
    const reads = 20 + randomOf(person.seed, 'fusion', person.index).below(200);
    const [chromosome1, position1, chromosome2, position2] = fusion.breakpoints;
    const ends = [chromosome1, position1, position1, chromosome2, position2, position2];
    yield `${[person.sampleName, ...fusion.genes, fusion.effect, ...ends, 'RNA', 'yes', reads].join(',')}\n`;
  }
}

function fusionOf(person: Person): Fusion | undefined {
  if (hasDisease(person, 'leukemia')) return bcrAbl1;
  const isUncalled = [...person.story.known].some(
    ([name, genotype]) => name.startsWith('BRAF') && genotype === './.',
  );
  return isUncalled && hasDisease(person, 'melanoma') ? agkBraf : undefined;
}

/** Lines of a table of `gene`, the header first: more copies, more expression. */
export function* expressionLines(people: Iterable<Person>, count: () => void): Generator<string> {
  yield 'sample_id,gene_name,expression,raw_count,expression_unit\n';
  for (const person of people) {
    const copies = copiesOf(person);
    const random = randomOf(person.seed, 'expression', person.index);
    for (const gene of genes) {
      const share = (copies.get(gene.symbol) ?? 2) / 2;
      const tpm = levelOf(gene, person.seed) * (0.6 + random.next() * 0.8) * share;
      count();
      yield `${[person.sampleName, gene.symbol, tpm.toFixed(2), Math.round(tpm * 25), 'tpm'].join(',')}\n`;
    }
  }
}

/** Baseline of a gene, equal for all patients. */
function levelOf(gene: Gene, seed: number): number {
  return 0.5 + 60 * randomOf(seed, 'level', gene.symbol).next() ** 3;
}
