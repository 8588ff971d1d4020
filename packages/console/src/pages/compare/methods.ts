import type { Shape } from '../../api/lists.ts';
import { statedP } from '../../words/dictionary.ts';

/** Test of groups in the answer of the service. */
export type Test = Shape<'StudyTest'>;

/** Names of tests for people. */
export const testNames = {
  fisher: 'Fisher',
  chiSquare: 'χ²',
  wilcoxon: 'Wilcoxon',
  kruskalWallis: 'Kruskal–Wallis',
  welch: 'Welch',
  anova: 'ANOVA',
} as const;

/** Names of the kinds of tests. */
export const kindNames: Readonly<Record<string, string>> = {
  attribute: 'Attributes',
  mutation: 'Mutations',
  copy_number: 'Copy number',
  fusion: 'Fusions',
  expression: 'Expression',
};

const rules: Readonly<Record<keyof typeof testNames, string>> = {
  fisher: "shares of two groups by Fisher's exact test (two-sided)",
  chiSquare: "categories by Pearson's χ² test without a correction",
  wilcoxon: "numbers of two groups by Wilcoxon's rank sum test (two-sided, corrected for ties)",
  kruskalWallis: 'numbers of more groups by the test of Kruskal and Wallis (corrected for ties)',
  welch: "expression of two groups by Welch's t-test (two-sided)",
  anova: 'expression of more groups by analysis of variance',
};

/** Sentences below the curves: tests, exclusions and assumptions. */
export function survivalWords(survival: Shape<'StudyGroupSurvival'>): string[] {
  const { logRank, leftOut, curves, shared, reason, hazards, hazardsLeftOut, proportionality } = survival;
  const followed = curves.reduce((sum, { patients }) => sum + patients, 0);
  const late = curves.reduce((sum, { excluded }) => sum + excluded, 0);
  const isOne = leftOut === 1;
  return [
    ...(logRank
      ? [
          `Log-rank test: χ² = ${logRank.statistic.toFixed(2)} with ${logRank.degrees} degree${logRank.degrees === 1 ? '' : 's'} of freedom, ${statedP(logRank.p)}.`,
        ]
      : [
          reason
            ? `Not tested: ${shared} subjects are in several groups.`
            : curves.length < 2
              ? 'One group: nothing is tested.'
              : 'No test: the groups have no events to compare.',
        ]),
    `Estimates of Kaplan and Meier with 95 % intervals (on the scale of the logarithm)${reason ? '' : `; n = ${followed}`}; crosses are subjects whose observation ends.`,
    ...(leftOut > 0
      ? [
          `${leftOut} ${isOne ? 'subject has' : 'subjects have'} no time or status and ${isOne ? 'is' : 'are'} left out.`,
        ]
      : []),
    ...(late > 0 ? [`${late} entered after the end of their observation and are left out.`] : []),
    ...(hazards
      ? [
          'Hazard ratios by the regression of Cox (ties by Efron) take the hazards as proportional at all times.',
        ]
      : []),
    ...(proportionality ? [proportionalWords(proportionality)] : []),
    ...(logRank && !hazards && !hazardsLeftOut
      ? [
          'Hazard ratios have no estimate: a group has no event, or all its events are on one side of the others.',
        ]
      : []),
    ...(hazardsLeftOut ? ['Hazard ratios are left out: there are too many different times.'] : []),
  ];
}

/** p-value below which hazards are reported as not proportional. */
const contradictedBelow = 0.05;

/** Returns words on whether the assumption of the hazard ratios is contradicted. */
function proportionalWords({
  statistic,
  degrees,
  p,
}: NonNullable<Shape<'StudyGroupSurvival'>['proportionality']>): string {
  const found = `χ² = ${statistic.toFixed(2)} with ${degrees} degree${degrees === 1 ? '' : 's'} of freedom, ${statedP(p)}`;
  const verdict =
    p < contradictedBelow
      ? 'the hazards are not proportional, and a ratio is a mean over times that differ'
      : 'no contradiction was found, which is no proof in small groups';
  return `Proportional hazards (scaled residuals of Schoenfeld over 1 − survival): ${found}; ${verdict}.`;
}

const leftOutWords = {
  tooManyValues: 'Not compared, since there are too many values',
  rareValues: 'Compared by their 20 most frequent values only',
} satisfies Record<Shape<'StudyEnrichment'>['leftOut'][number]['reason'], string>;

/** Sentences below the table of tests: rules, correction, exclusions. */
export function testsWords({
  items,
  tests,
  leftOut,
  groups,
  expressionUnit,
}: Shape<'StudyEnrichment'>): string[] {
  const used = [...new Set(items.map(({ test }) => test))].map((test) => rules[test]);
  const few = items.filter(({ expectedMin }) => (expectedMin ?? 5) < 5).length;
  return [
    ...(used.length > 0 ? [`Tested: ${used.join('; ')}.`] : []),
    `q: corrected for all ${tests.toLocaleString()} tests by the method of Benjamini and Hochberg. n = ${groups.map(({ patients }) => patients.toLocaleString()).join(', ')}.`,
    'A subject counts once in a group, with the mean of several numbers. Genes are compared over subjects that are profiled for them. Subjects without a value are left out of the test of that attribute. Attributes that define the groups are not compared, and endpoints by their curves only.',
    'Effect: logarithm of the odds ratio to base 2 (0.5 added to each count), or difference of mean expression.',
    ...(expressionUnit === undefined
      ? []
      : [
          `Expression in ${expressionUnit || 'a unit that is not named'}: log2(x + 1) where the unit is of counts or shares of reads.`,
        ]),
    ...(few > 0
      ? [`* The smallest expected count is below 5: the p-value is approximate (${few} tests).`]
      : []),
    ...(Object.keys(leftOutWords) as (keyof typeof leftOutWords)[]).flatMap((reason) => {
      const found = leftOut.filter((one) => one.reason === reason).map(({ attribute }) => attribute);
      return found.length > 0 ? [`${leftOutWords[reason]}: ${found.join(', ')}.`] : [];
    }),
    ...(items.length < tests
      ? [`The ${items.length.toLocaleString()} tests with the lowest p-values are listed.`]
      : []),
  ];
}
