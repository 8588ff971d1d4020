import { aminoAcids } from '@ploidy/formats/amino-acids';
import type { Compiler } from '../analytics/index.ts';
import { type AlterationTest, alterationKinds, type LeafOf } from './node.ts';
import { alterationsOf } from './relations.ts';

/** Parts of a statement that its leaves are built with. */
export interface LeafSql {
  compiler: Compiler;
  /** Returns the name of a relation that depends on no filter. */
  base(key: string): string;
  /** Returns the SELECT of listed texts. */
  listed(texts: readonly string[]): string;
}

/** Builds the SELECT of subjects with an alteration that passes all tests. */
export function alteredSubjects(statement: LeafSql, test: AlterationTest): string {
  const tests = ['subject IS NOT NULL', ...alterationTests(statement, test)];
  return `SELECT subject FROM ${statement.base(alterationsOf(test.genes))} WHERE ${tests.join(' AND ')}`;
}

/**
 * Builds the SELECT of subjects for which the absence of such an alteration is known: a sample is profiled for all its genes
 * and kinds. Kinds for which no sample of the project is profiled are left out.
 */
export function knownSubjects(statement: LeafSql, { genes, kinds }: AlterationTest): string {
  const profile = statement.base('_profile');
  const ofKinds = `kind IN (${statement.listed(kinds ?? alterationKinds)})`;
  const whole = `SELECT sample, subject, kind FROM ${profile} WHERE ${ofKinds}`;
  const examined = genes
    ? `${whole} AND panel_id IS NULL UNION SELECT r.sample, r.subject, r.kind FROM ${profile} AS r
        JOIN ${statement.base('_panel')} AS g ON g.panel_id = r.panel_id
        WHERE ${ofKinds} AND g.gene IN (${statement.listed(genes)})
        GROUP BY r.sample, r.subject, r.kind HAVING count(DISTINCT g.gene) = ${new Set(genes).size}`
    : `SELECT DISTINCT * FROM (${whole})`;
  return `SELECT subject FROM (${examined}) WHERE subject IS NOT NULL GROUP BY sample, subject
    HAVING count(*) = (SELECT count(DISTINCT kind) FROM ${profile} WHERE ${ofKinds})`;
}

/** Builds the SELECT of subjects that are profiled for a kind, and for a gene or on a panel. */
export function profiledSubjects(
  statement: LeafSql,
  { kind, gene, panel }: LeafOf<'profiled'>['profiled'],
): string {
  const { parameters } = statement.compiler;
  const named = (text: string): string => parameters.add(text, 'VARCHAR');
  const ofKind = `SELECT subject FROM ${statement.base('_profile')} WHERE subject IS NOT NULL AND kind = ${named(kind)}`;
  const onPanel = panel === undefined ? ofKind : `${ofKind} AND panel_id = ${named(panel)}`;
  if (gene === undefined) return onPanel;
  const panels = `SELECT panel_id FROM ${statement.base('_panel')} WHERE gene = ${named(gene)}`;
  return `${onPanel} AND (panel_id IS NULL OR panel_id IN (${panels}))`;
}

/** Builds the SELECT of patients with events of a type. */
export function eventPatients(statement: LeafSql, { type, ...when }: LeafOf<'event'>['event']): string {
  const isType = `type = ${statement.compiler.parameters.add(type, 'VARCHAR')}`;
  return patientsWith(statement, isType, 'start_day', when);
}

/** Builds the SELECT of patients with treatments. One without a known end takes a day. */
export function treatedPatients(
  statement: LeafSql,
  { agents, ...when }: LeafOf<'treatment'>['treatment'],
): string {
  const isAgent = agents ? `agent IN (${statement.listed(agents)})` : 'agent IS NOT NULL';
  return patientsWith(statement, isAgent, 'coalesce(stop_day, start_day)', when);
}

/** Builds the SELECT of patients with enough events that pass a test. `end`: last day of an event. */
function patientsWith(
  statement: LeafSql,
  test: string,
  end: string,
  { countMin = 1, fromDay, toDay }: Omit<LeafOf<'event'>['event'], 'type'>,
): string {
  const { parameters } = statement.compiler;
  const tests = ['patient IS NOT NULL', test];
  if (fromDay !== undefined) tests.push(`${end} >= ${parameters.add(fromDay, 'BIGINT')}`);
  if (toDay !== undefined) tests.push(`start_day <= ${parameters.add(toDay, 'BIGINT')}`);
  return `SELECT patient FROM ${statement.base('_event')} WHERE ${tests.join(' AND ')}
    GROUP BY patient HAVING count(*) >= ${parameters.add(countMin, 'BIGINT')}`;
}

/** Change of a protein without the mark of HGVS. */
const plainChange = "regexp_replace(protein_change, '^p\\.', '')";

/** Tests of the alterations that count, on the columns of their relation. */
export const countedTests: Readonly<Record<NonNullable<AlterationTest['counts']>, readonly string[]>> = {
  nonSilent: ["(kind <> 'copy_number' OR class IN ('amplification', 'deletion'))"],
  drivers: ["driver = 'driver'"],
  pathogenic: [
    // ClinVar joins several words by these characters.
    `list_has_any(string_split_regex(lower(replace(clinical_significance, ' ', '_')), '[/|,;]_*'), ['pathogenic', 'likely_pathogenic'])`,
  ],
  all: [],
};

/** Builds the tests of an alteration on the columns of its relation. */
function alterationTests(statement: LeafSql, test: AlterationTest): string[] {
  const { parameters } = statement.compiler;
  const lists = [
    ['gene', test.genes],
    ['kind', test.kinds],
    ['class', test.classes],
    ['consequence', test.consequences],
    ['partner_gene', test.partners],
    [plainChange, test.proteinChanges?.flatMap(spellingsOf)],
  ] as const;
  const equal = [
    ['driver', test.driver],
    ['status', test.status],
  ] as const;
  const { counts = 'all', notProteinChanges, proteinPositions, variants, alleleFractionMin } = test;
  return [
    ...lists.flatMap(([column, values]) => (values ? [`${column} IN (${statement.listed(values)})`] : [])),
    ...countedTests[counts],
    ...equal.flatMap(([column, value]) =>
      value === undefined ? [] : [`${column} = ${parameters.add(value, 'VARCHAR')}`],
    ),
    ...(notProteinChanges
      ? [`${plainChange} NOT IN (${statement.listed(notProteinChanges.flatMap(spellingsOf))})`]
      : []),
    ...(proteinPositions ? positionTests(statement, proteinPositions) : []),
    ...(variants ? [`(${variants.map((one) => variantTest(statement, one)).join(' OR ')})`] : []),
    ...(alleleFractionMin === undefined
      ? []
      : [`allele_fraction >= ${parameters.add(alleleFractionMin, 'DOUBLE')}`]),
  ];
}

const letters = new Map(Object.entries(aminoAcids).map(([letter, name]) => [name, letter]));

/** Returns the spellings of a change in one and in three letters: files have either. */
function spellingsOf(change: string): string[] {
  const plain = change.replace(/^p\./, '');
  const long = plain.replace(/[A-Z*](?![a-z])/g, (letter) => aminoAcids[letter] ?? letter);
  const short = long.replace(/[A-Z][a-z]{2}/g, (name) => letters.get(name) ?? name);
  return [...new Set([plain, short, long])];
}

/** First residue that a change of the protein names. */
const residue = "TRY_CAST(regexp_extract(protein_change, '([0-9]+)', 1) AS BIGINT)";

function positionTests(
  statement: LeafSql,
  { from, to }: NonNullable<AlterationTest['proteinPositions']>,
): string[] {
  const bound = (end: number): string => statement.compiler.parameters.add(end, 'BIGINT');
  return [
    ...(from === undefined ? [] : [`${residue} >= ${bound(from)}`]),
    ...(to === undefined ? [] : [`${residue} <= ${bound(to)}`]),
  ];
}

function variantTest(
  { compiler: { parameters } }: LeafSql,
  { chromosome, position, reference, alternate }: NonNullable<AlterationTest['variants']>[number],
): string {
  const tests = [
    `chromosome = ${parameters.add(chromosome, 'VARCHAR')}`,
    `position = ${parameters.add(position, 'BIGINT')}`,
  ];
  if (reference !== undefined) tests.push(`reference = ${parameters.add(reference, 'VARCHAR')}`);
  if (alternate !== undefined) tests.push(`alternate = ${parameters.add(alternate, 'VARCHAR')}`);
  return `(${tests.join(' AND ')})`;
}
