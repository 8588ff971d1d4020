import { setImmediate as nextTurn } from 'node:timers/promises';
import { adjusted } from '@ploidy/statistics';
import type { AggregateOf } from '../aggregates.ts';
import type { Building, Part } from '../building.ts';
import {
  type AlterationKind,
  alterationsSql,
  alterationTests,
  type FoundAlterations,
} from './alteration-tests.ts';
import { expressionSql, expressionTests, type FoundExpression } from './expression-tests.ts';
import { type FoundSizes, groupsOf, membersOf, sizesSql } from './groups.ts';
import type { Outcome } from './tests.ts';
import {
  type FoundValues,
  type LeftOutReason,
  type ValueTest,
  valuesSql,
  valueTests,
} from './value-tests.ts';

/** Number of tests that are listed by default. */
const topDefault = 500;
/** Time for which tests are computed before requests of others have their turn. */
const turnMs = 5;

type Tested =
  | ValueTest
  | { kind: AlterationKind | 'expression'; name: string; class?: string; outcome: Outcome | undefined };

interface Found {
  sizes: FoundSizes;
  values: FoundValues[];
  alterations: FoundAlterations[];
  expression: FoundExpression | null;
}

const kinds = ['mutation', 'copy_number', 'fusion'] as const;

/**
 * Builds the comparison of groups by all attributes and genes that are asked for: one family of tests with corrected
 * p-values. Groups that share patients are not tested: observations have to be independent.
 */
export function enrichmentPart(aggregate: AggregateOf<'enrichment'>, building: Building): Part {
  const { attributes = [], of = [] } = aggregate;
  const members = membersOf(aggregate, building);
  const compared = kinds.filter((kind) => of.includes(kind));
  const values = attributes.map((id) => `(${valuesSql(id, members, building)})`);
  const alterations = compared.map((kind) => `(${alterationsSql(kind, members, building)})`);
  const expression = of.includes('expression') ? `(${expressionSql(members, building)})` : 'NULL';
  return {
    sql: `SELECT to_json({'sizes': (${sizesSql(members)}), 'values': [${values.join(', ')}],
      'alterations': [${alterations.join(', ')}], 'expression': ${expression}})`,
    result: async ({ sizes, values: found, alterations: genes, expression: levels }: Found) => {
      const known = groupsOf(aggregate, sizes);
      if (known.reason) return { enrichment: { ...known, tests: 0, items: [], leftOut: [] } };
      const leftOut: { attribute: string; reason: LeftOutReason }[] = [];
      const count = aggregate.groups.length;
      function* all(): Generator<Tested> {
        for (const [at, id] of attributes.entries()) {
          const one = found[at];
          const reason = one && (yield* valueTests(id, one, count));
          if (reason) leftOut.push({ attribute: id, reason });
        }
        for (const [at, kind] of compared.entries()) {
          const one = genes[at];
          if (one) yield* alterationTests(kind, one, count);
        }
        if (levels) yield* expressionTests(levels, count);
      }
      const tests = await inTurns(all());
      const items = corrected(tests, aggregate);
      return {
        enrichment: {
          ...known,
          tests: tests.length,
          items: items.slice(0, aggregate.top ?? topDefault),
          leftOut,
          ...(levels?.unit && { expressionUnit: levels.unit }),
        },
      };
    },
  };
}

/** Collects the tests that have an outcome, with turns for others between. */
async function inTurns(tests: Iterable<Tested>): Promise<(Tested & { outcome: Outcome })[]> {
  const found: (Tested & { outcome: Outcome })[] = [];
  let began = performance.now();
  for (const { outcome, ...one } of tests) {
    if (outcome) found.push({ ...one, outcome });
    if (performance.now() - began < turnMs) continue;
    await nextTurn();
    began = performance.now();
  }
  return found;
}

/** Sorts tests by their p-values, corrected for all tests of the request. */
function corrected(tests: readonly (Tested & { outcome: Outcome })[], { groups }: AggregateOf<'enrichment'>) {
  const q = adjusted(tests.map(({ outcome }) => outcome.p));
  return tests
    .map(({ outcome: { higher, groups: found, ...outcome }, ...one }, at) => ({
      ...one,
      ...outcome,
      q: q[at] ?? 1,
      ...(groups[higher] && { higher: groups[higher].id }),
      groups: found.map((numbers, place) => ({ id: groups[place]?.id ?? '', ...numbers })),
    }))
    .sort((one, next) => one.p - next.p || one.name.localeCompare(next.name));
}
