import { Type } from 'typebox';
import { countOf, optionalText, textOf } from '../../../../api/shapes.ts';
import { curveOf, orNull, real, subjects } from '../shapes.ts';
import { type LeftOutReason, leftOutReasons } from './value-tests.ts';

const groupId = textOf('Id of the group');
const regionOf = {
  groups: Type.Array(Type.String(), { description: 'Ids of the groups that they are in, and in no other' }),
  patients: subjects('Patients'),
};

/** Schema of the overlap of groups. */
export const overlapShape = Type.Object(
  {
    groups: Type.Array(Type.Object({ id: groupId, patients: subjects('Patients') }), {
      description: 'Sizes of the groups',
    }),
    regions: Type.Array(Type.Object(regionOf), {
      description:
        'Combinations of groups with patients, the largest first. Samples without a patient count as one',
    }),
    shared: subjects('Patients in several groups'),
  },
  { title: 'StudyOverlap', description: 'Patients that groups share' },
);

const comparedOf = {
  groups: Type.Array(
    Type.Object({ id: groupId, subjects: countOf('Subjects'), patients: countOf('Patients') }),
    { description: 'Groups as they are compared' },
  ),
  shared: countOf('Patients in several groups'),
  reason: Type.Optional(
    Type.Unsafe<'overlap'>({
      type: 'string',
      enum: ['overlap'],
      description: 'Set where nothing is tested: groups share patients, and these are not excluded',
    }),
  ),
};

const testShape = Type.Object(
  {
    kind: textOf('`attribute`, or kind of the alteration'),
    name: textOf('Id of the attribute, or symbol of the gene'),
    class: Type.Optional(textOf('Class of the copy number')),
    value: Type.Optional(textOf('Value that is compared with its absence')),
    values: Type.Optional(
      Type.Array(
        Type.Object({
          value: textOf('Value'),
          label: Type.Optional(textOf('Words for the value')),
          counts: Type.Array(Type.Integer(), { description: 'Subjects of each group' }),
        }),
        { description: 'Values of a category' },
      ),
    ),
    test: Type.Unsafe<'fisher' | 'chiSquare' | 'wilcoxon' | 'kruskalWallis' | 'welch' | 'anova'>({
      type: 'string',
      enum: ['fisher', 'chiSquare', 'wilcoxon', 'kruskalWallis', 'welch', 'anova'],
      description: 'Test: docs/analytics.md',
    }),
    p: real('Two-sided p-value'),
    q: real('p-value corrected for all tests of the request (Benjamini and Hochberg)'),
    statistic: orNull('Statistic of the test; null: exact'),
    effect: orNull('Log2 of the odds ratio of two groups, or difference of their means; null: none'),
    higher: Type.Optional(textOf('Id of the group with the highest share, mean or rank')),
    expectedMin: Type.Optional(real('Smallest expected count of χ²; below 5 the p-value is approximate')),
    groups: Type.Array(
      Type.Object({
        id: groupId,
        count: countOf('Patients that are compared: profiled, or with a value'),
        having: Type.Optional(countOf('Patients that are altered, or have the value')),
        mean: Type.Optional(real('Mean')),
        median: Type.Optional(real('Median')),
      }),
      { description: 'Numbers of each group' },
    ),
  },
  { title: 'StudyTest', description: 'Test of groups against each other' },
);

/** Schema of the tests of groups. */
export const enrichmentShape = Type.Object(
  {
    ...comparedOf,
    tests: countOf('Tests of this request, beyond this list too'),
    items: Type.Array(testShape, { description: 'Lowest p-value first' }),
    leftOut: Type.Array(
      Type.Object({
        attribute: textOf('Id of the attribute'),
        reason: Type.Unsafe<LeftOutReason>({
          type: 'string',
          enum: [...leftOutReasons],
          description:
            '`tooManyValues` for a category; `rareValues`: subjects have several, and only its 20 most frequent ones are compared',
        }),
      }),
      { description: 'Attributes that are not compared, or not by all their values' },
    ),
    expressionUnit: optionalText('Unit of the expression values that are compared'),
  },
  { title: 'StudyEnrichment', description: 'Tests of groups against each other' },
);

const intervalOf = (what: string) => ({
  low: real(`Lower end of the 95 % interval of the ${what}`),
  high: real(`Upper end of the 95 % interval of the ${what}`),
});

/** Schema of the survival of groups. */
export const survivalShape = Type.Object(
  {
    ...comparedOf,
    leftOut: countOf('Patients without a time or a status'),
    curves: Type.Array(
      Type.Object({
        id: groupId,
        excluded: countOf('Patients whose observation ends before it begins'),
        ...curveOf,
        landmarks: Type.Array(
          Type.Object({
            time: real('Time'),
            survival: orNull('Estimate; null: behind the last observation'),
            low: orNull('Lower end of the 95 % interval'),
            high: orNull('Upper end of the 95 % interval'),
          }),
          { description: 'Estimates at the times that were asked for' },
        ),
      }),
      { description: 'One for each group' },
    ),
    logRank: Type.Optional(
      Type.Object(
        {
          statistic: real('χ²'),
          degrees: Type.Integer({ description: 'Degrees of freedom' }),
          p: real('p-value'),
        },
        { description: 'Log-rank test of all groups; absent without events' },
      ),
    ),
    expected: Type.Optional(
      Type.Array(
        Type.Object({ id: groupId, observed: countOf('Events'), expected: real('Events expected') }),
        {
          description: 'Events behind the test',
        },
      ),
    ),
    reference: optionalText('Id of the group that hazards are multiples of'),
    hazards: Type.Optional(
      Type.Array(
        Type.Object({
          id: groupId,
          ratio: real('Hazard as a multiple of that of the reference'),
          ...intervalOf('ratio'),
          p: real('p-value (Wald)'),
        }),
        { description: 'Estimates of Cox, by the method of Efron; absent if there are none' },
      ),
    ),
    proportionality: Type.Optional(
      Type.Object(
        {
          statistic: real('χ²'),
          degrees: Type.Integer({ description: 'Degrees of freedom' }),
          p: real('p-value; a low one contradicts hazards that are proportional at all times'),
        },
        {
          description:
            'Test of proportional hazards by scaled residuals of Schoenfeld; absent without `hazards`, or with one time',
        },
      ),
    ),
    hazardsLeftOut: Type.Optional(
      Type.Boolean({ description: 'True: the hazard ratios were left out, since there are too many times' }),
    ),
    eventRatios: Type.Optional(
      Type.Array(Type.Object({ id: groupId, ratio: real('Ratio'), ...intervalOf('ratio') }), {
        description: 'Ratios of observed to expected events against the reference',
      }),
    ),
  },
  { title: 'StudyGroupSurvival', description: 'Survival of groups' },
);
