import type { AggregateOf } from './aggregates.ts';
import { countedTests } from './alterations.ts';
import type { Building, Part } from './building.ts';
import type { Cell, Cells } from './cells.ts';

/** Number of genes that are listed by default. */
const topDefault = 50;

/**
 * Builds the genes by the share of altered subjects among those that are profiled for the gene: on a panel that has it, or
 * profiled without a panel. Subjects are grouped by their set of panels, of which there are few.
 */
export function genesPart(aggregate: AggregateOf<'genes'>, building: Building): Part {
  const { statement, set, cells } = building;
  const { alteration, top = topDefault } = aggregate;
  const { profiles, panelSets, covered } = profilesOf(alteration, building);
  const altered = alteredSql(aggregate, building);
  const isOnPanel = 'p.subject IS NOT NULL AND (p.panels IS NULL OR c.gene IS NOT NULL)';
  const counted = `SELECT gene, class, sum(events) AS events, ${cells.rows()} AS altered, ${cells.rows('is_on_panel')} AS on_panel,
      ${cells.near()} AS n, ${cells.near('is_on_panel')} AS m
    FROM (SELECT a.*, ${isOnPanel} AS is_on_panel FROM (${altered}) AS a LEFT JOIN ${profiles} AS p ON p.subject = a.subject
      LEFT JOIN ${covered} AS c ON c.panels = p.panels AND c.gene = a.gene) GROUP BY gene, class`;
  const examined = `SELECT c.gene, sum(s.n) AS n, list(s.cell) AS cells FROM ${covered} AS c
    JOIN ${panelSets} AS s ON s.panels = c.panels GROUP BY c.gene`;
  const whole = `SELECT coalesce(sum(n), 0) FROM ${panelSets} WHERE panels IS NULL`;
  const ranked = statement.relation(
    JSON.stringify(['genes', set, { ...aggregate, id: '', ignoreOwn: '' }]),
    () => `SELECT g.*, e.cells AS examined, row_number() OVER (ORDER BY g.m / nullif(coalesce(e.n, 0) + (${whole}), 0) DESC NULLS LAST,
      g.n DESC, g.gene, g.class) AS place FROM (${counted}) AS g LEFT JOIN (${examined}) AS e ON e.gene = g.gene`,
  );
  const items = `SELECT list({'gene': gene, 'class': class, 'events': events, 'altered': altered, 'onPanel': on_panel,
    'profiled': examined} ORDER BY place) FROM ${ranked} WHERE place <= ${top}`;
  return {
    sql: `SELECT to_json({'items': (${items}), 'genes': (SELECT count(DISTINCT gene) FROM ${ranked}),
      'whole': (SELECT list(cell) FROM ${panelSets} WHERE panels IS NULL), 'all': (SELECT list(cell) FROM ${panelSets})})`,
    result: (found: FoundGenes) => resultOf(found, cells),
  };
}

interface FoundProfiles {
  items: { kind: string; panel: string | null; count: Cell }[] | null;
  names: number;
}

/** Builds the subjects by the kinds of changes that they are profiled for, and by the panels of each. */
export function profilesPart({ top = topDefault }: AggregateOf<'profiles'>, building: Building): Part {
  const { statement, set, cells } = building;
  const counted = statement.relation(`profiles ${set}`, () => {
    const of = (panel: string, which: string): string =>
      `SELECT kind, panel, ${cells.rows()} AS cell, ${cells.near()} AS n FROM (SELECT DISTINCT m.*, p.kind, ${panel} AS panel
        FROM ${statement.base('_profile')} AS p JOIN ${set} AS m ON m.subject = p.subject ${which}) GROUP BY kind, panel`;
    const all = [of('CAST(NULL AS VARCHAR)', ''), of('p.panel_id', 'WHERE p.panel_id IS NOT NULL')];
    return `SELECT *, row_number() OVER (ORDER BY panel IS NOT NULL, n DESC, kind, panel) AS place FROM (${all.join(' UNION ALL ')})`;
  });
  return {
    sql: `SELECT to_json({'items': (SELECT list({'kind': kind, 'panel': panel, 'count': cell} ORDER BY place) FROM ${counted}
      WHERE place <= ${top}), 'names': (SELECT count(*) FROM ${counted})})`,
    result: ({ items, names }: FoundProfiles) => {
      const shown = (items ?? []).map(({ panel, count, ...one }) => ({
        ...one,
        ...(panel !== null && { panel }),
        count: cells.shown(count),
      }));
      // A panel of few patients is not named: its presence alone is about them.
      const named = shown.filter(({ count }) => count !== null);
      if (cells.hides) named.sort((one, next) => Number(next.count) - Number(one.count));
      return { profiles: { items: named, names: cells.hides ? named.length : names } };
    },
  };
}

/** Relations of the subjects profiled for a kind: their panels, the distinct sets of panels, and the genes of these. */
export function profilesOf(
  kind: string,
  { statement, set, cells }: Building,
): { profiles: string; panelSets: string; covered: string } {
  const profiles = statement.relation(`profiles ${set} ${kind}`, () => {
    const value = statement.compiler.parameters.add(kind, 'VARCHAR');
    return `SELECT m.*, e.panels FROM ${statement.base('_examined')} AS e JOIN ${set} AS m ON m.subject = e.subject WHERE e.kind = ${value}`;
  });
  const panelSets = statement.relation(
    `panels ${set} ${kind}`,
    () => `SELECT panels, ${cells.near()} AS n, ${cells.rows()} AS cell FROM ${profiles} GROUP BY panels`,
  );
  const covered = statement.base('_cover');
  return { profiles, panelSets, covered };
}

/** Builds the altered subjects by gene, and by class for copy numbers. */
export function alteredSql(
  { alteration, search, classes, counts = 'nonSilent' }: AggregateOf<'genes'>,
  { statement, set }: Building,
): string {
  const { parameters } = statement.compiler;
  const tests = [`r.kind = ${parameters.add(alteration, 'VARCHAR')}`, 'r.gene IS NOT NULL'];
  // Classes that are named count as they are.
  tests.push(...(classes ? [`class IN (${statement.listed(classes)})`] : []));
  tests.push(...countedTests[classes && counts === 'nonSilent' ? 'all' : counts]);
  if (search !== undefined)
    tests.push(`starts_with(upper(r.gene), ${parameters.add(search.toUpperCase(), 'VARCHAR')})`);
  const byClass = alteration === 'copy_number' ? 'r.class' : 'CAST(NULL AS VARCHAR)';
  return `SELECT r.gene, ${byClass} AS class, s.subject, any_value(s.patient) AS patient, any_value(s.digest) AS digest, count(*) AS events
    FROM ${statement.base('_alteration')} AS r JOIN ${set} AS s ON s.subject = r.subject WHERE ${tests.join(' AND ')}
    GROUP BY r.gene, ${byClass}, s.subject`;
}

interface FoundGenes {
  items:
    | {
        gene: string;
        class: string | null;
        events: number;
        altered: Cell;
        onPanel: Cell;
        /** Counts of the sets of panels that have the gene. */
        profiled: Cell[] | null;
      }[]
    | null;
  genes: number;
  /** Count of the subjects that are profiled without a panel. */
  whole: Cell[] | null;
  all: Cell[] | null;
}

function resultOf({ items, genes, whole, all }: FoundGenes, cells: Cells): Record<string, unknown> {
  const listed = (items ?? []).map((item) => {
    const { gene, altered, events } = item;
    const onPanel = cells.shown(item.onPanel);
    const profiled = cells.total([...(item.profiled ?? []), ...(whole ?? [])]);
    const isShown = onPanel !== null && profiled !== null && profiled > 0;
    return {
      gene,
      ...(item.class !== null && { class: item.class }),
      events: cells.shown(cells.counting(events, altered)),
      altered: cells.shown(altered),
      onPanel,
      profiled,
      // Rounded numbers may have another order.
      percent: isShown ? Math.min(100, (100 * onPanel) / profiled) : null,
      ...(!isShown && { reason: profiled === 0 ? 'notProfiled' : 'small' }),
    };
  });
  // A gene of few patients is not named: its presence alone is about them.
  const named = listed.filter(({ altered }) => altered !== null);
  if (cells.hides)
    named.sort(
      (one, next) => (next.percent ?? -1) - (one.percent ?? -1) || Number(next.altered) - Number(one.altered),
    );
  return {
    genes: { items: named, genes: cells.hides ? named.length : genes, profiled: cells.total(all ?? []) },
  };
}
