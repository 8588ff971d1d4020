import type { AggregateOf } from './aggregates.ts';
import type { Building } from './building.ts';
import { profilesOf } from './genes.ts';
import { alterationKinds } from './node.ts';
import { alterationsOf } from './relations.ts';

/** Subjects of an oncoprint: a cell has 16 bits for its place. */
export const subjectsMax = 50_000;

/** Classes in the order in which one of several is shown: strong ones first. Their place, from 1, is the code. */
const mutationClasses = ['truncating', 'inframe', 'missense', 'splice', 'promoter', 'other'];
const copyNumberClasses = ['amplification', 'deletion', 'gain', 'loss'];
/** Classes that count only where a request names them. */
const weakClasses = ['gain', 'loss'];

type Asked = Pick<AggregateOf<'pairs'>, 'genes' | 'classes' | 'onlyDrivers' | 'withoutGermline'>;

/** Names of the relations behind the cells of genes and subjects. */
interface PrintRelations {
  /** Genes with their place in the request. */
  wanted: string;
  /** Subjects with `place` in the order of their ids, and `pattern`: equal ones are profiled for the same genes. */
  placed: string;
  /** Bits of pattern and gene: 1 profiled for mutations, 2 for copy numbers, 4 for fusions. */
  bits: string;
  /** Alterations that count: gene, subject, kind, and the parts of its code. */
  events: string;
}

/** Builds the relations of genes × subjects. No subject has a place if there are too many. */
export function printRelations(asked: Asked, building: Building): PrintRelations {
  const { statement, set } = building;
  const { genes, classes, onlyDrivers = false, withoutGermline = false } = asked;
  const relation = (name: string, about: unknown, sql: () => string): string =>
    statement.relation(JSON.stringify([name, set, about]), sql);
  const wanted = relation('wanted', genes, () => {
    const list = statement.compiler.parameters.add(JSON.stringify(genes), 'JSON');
    return `SELECT unnest(l) AS gene, generate_subscripts(l, 1) - 1 AS gene_place FROM (SELECT from_json(${list}, '["VARCHAR"]') AS l)`;
  });
  const placed = relation('placed', [], () => placedSql(building));
  const bits = relation('bits', genes, () => bitsSql(building, wanted, placed));
  const events = relation('events', [genes, classes, onlyDrivers, withoutGermline], () =>
    eventsSql(asked, building, { wanted, placed }),
  );
  return { wanted, placed, bits, events };
}

function placedSql(building: Building): string {
  const { set, cells } = building;
  const joined = alterationKinds.map(
    (kind) => `LEFT JOIN ${profilesOf(kind, building).profiles} AS ${kind} ON ${kind}.subject = m.subject`,
  );
  const panels = alterationKinds.flatMap((kind) => [
    `${kind}.subject IS NOT NULL AS has_${kind}`,
    `${kind}.panels AS ${kind}`,
  ]);
  const columns = alterationKinds.flatMap((kind) => [`has_${kind}`, kind]).join(', ');
  return `SELECT *, row_number() OVER (ORDER BY subject) - 1 AS place, dense_rank() OVER (ORDER BY ${columns}) - 1 AS pattern
    FROM (SELECT m.*, s.subject_id, s.patient_id, ${panels.join(', ')} FROM ${set} AS m JOIN _subject AS s ON s.subject = m.subject
      ${joined.join(' ')})
    WHERE (SELECT ${cells.near()} FROM ${set}) <= ${subjectsMax}`;
}

function bitsSql({ statement }: Building, wanted: string, placed: string): string {
  const columns = alterationKinds.flatMap((kind) => [`has_${kind}`, kind]).join(', ');
  const isOn = (kind: string): string =>
    `CASE WHEN p.has_${kind} AND (p.${kind} IS NULL OR list_has_any(from_json(p.${kind}, '["VARCHAR"]'), g.panels)) THEN 1 ELSE 0 END`;
  const digit = alterationKinds.map((kind, at) => `${2 ** at} * ${isOn(kind)}`).join(' + ');
  const panels = `SELECT gene, list(DISTINCT panel_id) AS panels FROM ${statement.base('_panel')}
    WHERE gene IN (SELECT gene FROM ${wanted}) GROUP BY gene`;
  return `SELECT p.pattern, w.gene_place, ${digit} AS bits FROM (SELECT DISTINCT pattern, ${columns} FROM ${placed}) AS p
    CROSS JOIN ${wanted} AS w LEFT JOIN (${panels}) AS g ON g.gene = w.gene`;
}

function eventsSql(
  { genes, classes, onlyDrivers = false, withoutGermline = false }: Asked,
  { statement }: Building,
  { wanted, placed }: { wanted: string; placed: string },
): string {
  const tests = [
    classes
      ? `r.class IN (${statement.listed(classes)})`
      : `(r.class IS NULL OR r.class NOT IN (${statement.listed(weakClasses)}))`,
    ...(onlyDrivers ? ["r.driver = 'driver'"] : []),
    ...(withoutGermline ? ["r.status IS DISTINCT FROM 'germline'"] : []),
  ];
  const place = (list: readonly string[]): string =>
    `CASE r.class ${list.map((one, at) => `WHEN '${one}' THEN ${at + 1}`).join(' ')} END`;
  return `SELECT w.gene_place, o.subject, o.patient, o.digest, o.place, o.pattern, r.kind,
      coalesce(${place(mutationClasses)}, ${mutationClasses.length}) AS mutation_class, ${place(copyNumberClasses)} AS copy_class,
      CASE r.driver WHEN 'driver' THEN 0 WHEN 'passenger' THEN 2 ELSE 1 END AS judgement,
      CASE WHEN r.status = 'germline' THEN 0 ELSE 1 END AS somatic, coalesce(r.protein_change, '') AS change
    FROM ${statement.base(alterationsOf(genes))} AS r JOIN ${wanted} AS w ON w.gene = r.gene
      JOIN ${placed} AS o ON o.subject = r.subject
    WHERE ${tests.join(' AND ')} AND (r.kind <> 'copy_number' OR ${place(copyNumberClasses)} IS NOT NULL)`;
}

/** Kinds by their bit in `bits`, as SQL. */
export const kindBit = `CASE kind ${alterationKinds.map((kind, at) => `WHEN '${kind}' THEN ${2 ** at}`).join(' ')} END`;
