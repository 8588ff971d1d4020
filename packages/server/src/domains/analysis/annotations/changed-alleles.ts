import type { Position } from '../../../api/paging.ts';
import type { PinnedProject } from '../../lake/index.ts';
import { type Analytics, Compiler, Parameters } from '../analytics/index.ts';
import type { Cell, Cells } from '../study/index.ts';

/** Filter of a list of changes. */
interface ChangeFilter {
  source?: string | undefined;
  /** Column of `variant`, or name of a value. */
  name?: string | undefined;
}

/** Changed value of an allele or gene, with the samples that carry it. */
interface ChangedValue {
  source: string;
  oldVersion?: string;
  newVersion?: string;
  chromosome?: string;
  position?: number;
  reference?: string;
  alternate?: string;
  gene?: string;
  proteinChange?: string;
  name: string;
  oldValue?: string;
  newValue?: string;
  /** Samples that the caller may count, and the patients whose they are. */
  samples: number;
  subjects?: number;
}

interface Asking {
  project: PinnedProject;
  cells: Cells;
  caller: string;
  signal: AbortSignal;
}

const shown = [
  ...(['source', 'old_version', 'new_version', 'chromosome', 'position', 'reference', 'alternate'] as const),
  ...(['gene', 'protein_change', 'name', 'old_value', 'new_value'] as const),
];

/** Order of a list: a position in it stays valid when files are filled or changes are added. */
const order = [
  ['source', 'VARCHAR'],
  ["coalesce(old_version, '')", 'VARCHAR'],
  ["coalesce(new_version, '')", 'VARCHAR'],
  ["coalesce(chromosome, '')", 'VARCHAR'],
  ['coalesce(position, 0)', 'BIGINT'],
  [`md5(CAST(to_json(row(${shown.join(', ')})) AS VARCHAR))`, 'VARCHAR'],
] as const;

interface ChangePage {
  size: number;
  after: Position | undefined;
}

/**
 * Lists changes whose allele or gene samples of the project carry, by the rows that the caller may see. Where small counts are
 * hidden, an allele of few patients is left out as a whole: its presence in the list would be a count. Pages are then cut over all
 * changes, so that a short page has no carriers or few. `next` is the position behind the page, where there are others.
 */
export async function changedValues(
  analytics: Pick<Analytics, 'ask'>,
  filter: ChangeFilter,
  page: ChangePage,
  { project, cells, caller, signal }: Asking,
): Promise<{ values: ChangedValue[]; next: Position | undefined }> {
  const compiler = new Compiler(new Parameters());
  const sql = statement(compiler, filter, cells, page);
  const rows = await analytics.ask(sql, compiler, [project], { caller, signal });
  const values = rows.slice(0, page.size).flatMap((row) => {
    const key = JSON.stringify(shown.map((name) => row[name] ?? null));
    const samples = cells.about(key).shown(JSON.parse(String(row['samples'])) as Cell);
    if (samples === null) return [];
    const subjects = cells.about(key).shown(JSON.parse(String(row['subjects'])) as Cell);
    return [{ ...changeOf(row, samples), ...(subjects !== null && { subjects }) }];
  });
  const last = rows.length > page.size ? rows[page.size - 1] : undefined;
  return { values, next: last && (JSON.parse(String(last['place'])) as Position) };
}

function statement(
  compiler: Compiler,
  { source, name }: ChangeFilter,
  cells: Cells,
  { size, after }: ChangePage,
): string {
  const { parameters } = compiler;
  const tests = [
    ...(source === undefined ? [] : [`source = ${parameters.add(source, 'VARCHAR')}`]),
    ...(name === undefined ? [] : [`name = ${parameters.add(name, 'VARCHAR')}`]),
  ];
  const place = order.map(([column]) => column).join(', ');
  if (after) {
    const behind = order.map(([, type], at) => parameters.add(after[at] ?? '', type));
    tests.push(`row(${place}) > row(${behind.join(', ')})`);
  }
  const changes = `SELECT *, CAST(json_array(${place}) AS VARCHAR) AS place,
    row_number() OVER (ORDER BY ${place}) AS number FROM (SELECT DISTINCT ${shown.join(', ')}
    FROM ${compiler.relation('annotation_change')} ${tests.length > 0 ? `WHERE ${tests.join(' AND ')}` : ''})`;
  const columns = shown.map((column) =>
    column === 'gene'
      ? 'coalesce(any_value(c.gene), min(k.variant_gene)) AS gene'
      : `any_value(c.${column}) AS ${column}`,
  );
  const variants = compiler.relation('variant');
  const alleles = `SELECT DISTINCT c.number, v.sample_id, v.gene AS variant_gene FROM ${variants} AS v
    JOIN changes AS c ON v.chromosome = c.chromosome AND v.position = c.position
      AND v.reference = c.reference AND v.alternate = c.alternate`;
  // A change of a gene without a change of a protein is about every variant of it.
  const genes = `SELECT DISTINCT c.number, v.sample_id, v.gene AS variant_gene FROM ${variants} AS v
    JOIN changes AS c ON c.chromosome IS NULL AND v.gene = c.gene
      AND (c.protein_change IS NULL OR v.amino_acid_change = c.protein_change
        OR regexp_extract(v.amino_acid_change, '^p\\.[A-Z][a-z]{2}[0-9]+') = c.protein_change)`;
  return `SELECT * FROM (WITH changes AS (${changes}),
    carriers AS (${alleles} UNION ${genes}),
    samples AS (SELECT id AS sample_id, any_value(patient_id) AS patient, hash(any_value(patient_id)) AS digest
      FROM ${compiler.relation('sequence')} WHERE id IS NOT NULL GROUP BY id)
    SELECT c.number, any_value(c.place) AS place, ${columns.join(', ')}, CAST(to_json(${cells.distinct('k.sample_id')}) AS VARCHAR) AS samples,
      CAST(to_json(${cells.distinct('patient')}) AS VARCHAR) AS subjects
    FROM changes AS c ${cells.hides ? 'LEFT ' : ''}JOIN carriers AS k ON c.number = k.number LEFT JOIN samples ON samples.sample_id = k.sample_id
    GROUP BY c.number ORDER BY c.number LIMIT ${size + 1})`;
}

function changeOf(row: Record<string, unknown>, samples: number): ChangedValue {
  const names: Readonly<Record<string, keyof ChangedValue>> = {
    old_version: 'oldVersion',
    new_version: 'newVersion',
    protein_change: 'proteinChange',
    old_value: 'oldValue',
    new_value: 'newValue',
  };
  const entries = shown.flatMap((name) => {
    const value = row[name];
    if (value === null || value === undefined) return [];
    return [[names[name] ?? name, name === 'position' ? Number(value) : value]];
  });
  return { ...(Object.fromEntries(entries) as Omit<ChangedValue, 'samples'>), samples };
}
