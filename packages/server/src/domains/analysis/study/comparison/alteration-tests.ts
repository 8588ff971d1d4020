import type { Building } from '../building.ts';
import { alteredSql, profilesOf } from '../genes.ts';
import type { Members } from './groups.ts';
import { type Outcome, shareTest } from './tests.ts';

/** Kinds of alterations that are compared. */
export type AlterationKind = 'mutation' | 'copy_number' | 'fusion';

/** Numbers of a kind: altered patients on panel, by gene and class, and profiled ones. */
export interface FoundAlterations {
  altered: { gene: string; class: string | null; groups: { g: number; n: number }[] }[] | null;
  /** Patients that are profiled for a gene by panels that have it, and by nothing else. */
  covered: { gene: string; groups: { g: number; n: number }[] }[] | null;
  /** Patients with a sample that is profiled without a panel. */
  whole: { g: number; n: number }[] | null;
}

/**
 * Builds the altered and profiled patients of each group by gene: samples of one patient are not independent. Alterations off
 * panel do not count.
 */
export function alterationsSql(kind: AlterationKind, { members }: Members, building: Building): string {
  const { statement } = building;
  const set = statement.relation(
    `compared ${members}`,
    () => `SELECT DISTINCT subject, patient, digest FROM ${members}`,
  );
  const compared = { ...building, set };
  const { profiles, covered } = profilesOf(kind, compared);
  const altered = alteredSql({ id: '', kind: 'genes', alteration: kind }, compared);
  const counted = `SELECT a.gene, a.class, m.g, count(DISTINCT m.owner) AS n FROM (${altered}) AS a
    JOIN ${profiles} AS p ON p.subject = a.subject LEFT JOIN ${covered} AS c ON c.panels = p.panels AND c.gene = a.gene
    JOIN ${members} AS m ON m.subject = a.subject WHERE p.panels IS NULL OR c.gene IS NOT NULL GROUP BY a.gene, a.class, m.g`;
  const owners = statement.relation(
    `profiled ${members} ${kind}`,
    () => `SELECT m.g, m.owner, p.panels, bool_or(p.panels IS NULL) OVER (PARTITION BY m.g, m.owner) AS is_whole
      FROM ${profiles} AS p JOIN ${members} AS m ON m.subject = p.subject`,
  );
  const examined = `SELECT c.gene, o.g, count(DISTINCT o.owner) AS n FROM ${owners} AS o JOIN ${covered} AS c ON c.panels = o.panels
    WHERE NOT o.is_whole GROUP BY c.gene, o.g`;
  const whole = `SELECT g, count(DISTINCT owner) AS n FROM ${owners} WHERE is_whole GROUP BY g`;
  const byGroup = "list({'g': g, 'n': n}) AS groups";
  return `SELECT {
    'altered': (SELECT list({'gene': gene, 'class': class, 'groups': groups})
      FROM (SELECT gene, class, ${byGroup} FROM (${counted}) GROUP BY gene, class)),
    'covered': (SELECT list({'gene': gene, 'groups': groups}) FROM (SELECT gene, ${byGroup} FROM (${examined}) GROUP BY gene)),
    'whole': (SELECT ${byGroup} FROM (${whole}))}`;
}

/** Yields a test for each gene that is altered in a group; of copy numbers for each class. */
export function* alterationTests(
  kind: AlterationKind,
  { altered, covered, whole }: FoundAlterations,
  groups: number,
): Generator<{ kind: AlterationKind; name: string; class?: string; outcome: Outcome | undefined }> {
  const counts = (list: { g: number; n: number }[] | null | undefined): number[] => {
    const found = new Array<number>(groups).fill(0);
    for (const { g, n } of list ?? []) found[g] = n;
    return found;
  };
  const all = counts(whole);
  const byGene = new Map((covered ?? []).map((one) => [one.gene, counts(one.groups)]));
  for (const { gene, class: type, groups: found } of altered ?? []) {
    const onPanel = byGene.get(gene);
    const having = counts(found);
    const table = having.map((count, at) => ({
      count: (all[at] ?? 0) + (onPanel?.[at] ?? 0),
      having: count,
    }));
    yield { kind, name: gene, ...(type !== null && { class: type }), outcome: shareTest(table) };
  }
}
