import { type Static, Type } from 'typebox';
import { rangeShape } from '../shapes.ts';
import { clockOf, momentKinds } from './moments.ts';

/** Limits of a cohort with time. */
const timedLimits = {
  rulesMax: 20,
  criteriaMax: 10,
  codesMax: 500,
  daysMax: 100_000,
  countMax: 10_000,
} as const;

const closed = { additionalProperties: false } as const;
const { daysMax } = timedLimits;
const words = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
      ...{ minItems: 1, maxItems: timedLimits.codesMax, description },
    }),
  );
const days = (description: string, minimum = -daysMax) =>
  Type.Optional(Type.Integer({ minimum, maximum: daysMax, description }));
const count = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: timedLimits.countMax, description }));
const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Optional(Type.Unsafe<T>({ type: 'string', enum: [...values], description }));

/** Kind of dated rows, or of events of the timeline. */
export const momentShape = Type.Object(
  {
    of: Type.Unsafe<(typeof momentKinds)[number]>({
      type: 'string',
      enum: [...momentKinds],
      description: '`event`: of the timeline, in days; others: rows of a table with a date',
    }),
    codes: words('Any of these first codes, or types of events; absent: any'),
    agents: words('Any of these agents; events of treatments only'),
    value: Type.Optional(rangeShape),
  },
  { ...closed, title: 'StudyMoment', description: 'Events, or dated rows, that a rule is about' },
);
export type Moment = Static<typeof momentShape>;

const criterionShape = Type.Object(
  {
    event: momentShape,
    countMin: count('Lowest number of such events; default 1, or 0 beside `countMax`'),
    countMax: count('Highest number of such events; 0: none'),
    within: Type.Optional(
      Type.Object(
        {
          from: days('First day, such as -30 for 30 days before'),
          to: days('Last day'),
          of: oneOf(['start', 'end'], 'End of the index event from which days count; default `start`'),
        },
        { ...closed, description: 'Days of their start; absent: any' },
      ),
    ),
  },
  { ...closed, title: 'StudyCriterion', description: 'Number of events within days of the index event' },
);
export type Criterion = Static<typeof criterionShape>;

/** Cohort whose members have an index event that passes rules. */
export const timedShape = Type.Object(
  {
    index: Type.Object(
      {
        event: momentShape,
        which: oneOf(
          ['first', 'last', 'every'],
          'Index events of a patient. Default `first`: the first one in the history has to pass. `every`: one of them has to, and time counts from the first that does',
        ),
        priorDays: days('Days before it with which the record of the patient begins at the latest', 0),
      },
      { ...closed, description: 'Index event' },
    ),
    rules: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 255, description: 'Name' }),
            criteria: Type.Array(criterionShape, {
              ...{ minItems: 1, maxItems: timedLimits.criteriaMax, description: 'Criteria' },
            }),
            need: oneOf(['all', 'any'], 'Criteria that have to hold; default `all`'),
            off: Type.Optional(Type.Boolean({ description: 'True: the rule is kept and not applied' })),
          },
          { ...closed, title: 'StudyRule', description: 'Rule of inclusion' },
        ),
        { maxItems: timedLimits.rulesMax, description: 'Rules, in the order in which they are applied' },
      ),
    ),
    exit: Type.Optional(
      Type.Object(
        {
          afterDays: days('Days after the index event', 0),
          event: Type.Optional(momentShape),
        },
        { ...closed, description: 'End of the time in the cohort; absent: end of the record' },
      ),
    ),
    censor: Type.Optional(
      Type.Array(momentShape, { minItems: 1, maxItems: 10, description: 'Events that end it too' }),
    ),
  },
  { ...closed, title: 'StudyTimed', description: 'Cohort with time: index event, rules, exit' },
);
export type Timed = Static<typeof timedShape>;
export type Rule = NonNullable<Timed['rules']>[number];

/** Lists what the schema cannot express, with the path of each within the leaf or aggregate. `to`: event that ends the time. */
export function faultsOf(timed: Timed, to?: Moment): { path: string; message: string }[] {
  const { index, rules = [], exit, censor = [] } = timed;
  const moments: [path: string, moment: Moment | undefined][] = [
    ['timed/index/event', index.event],
    ...rules.flatMap(({ criteria }, at) =>
      criteria.map(({ event }, of): [string, Moment] => [`timed/rules/${at}/criteria/${of}/event`, event]),
    ),
    ['timed/exit/event', exit?.event],
    ...censor.map((event, at): [string, Moment] => [`timed/censor/${at}`, event]),
    ['event', to],
  ];
  return moments.flatMap(([path, moment]) => {
    if (!moment) return [];
    const { of, agents, value } = moment;
    const isOfOtherClock = clockOf(of) !== clockOf(index.event.of);
    return [
      ...(isOfOtherClock ? [{ path, message: otherClock }] : []),
      ...(agents && of !== 'event'
        ? [{ path: `${path}/agents`, message: 'is for events of the timeline' }]
        : []),
      ...(value && of !== 'observation' ? [{ path: `${path}/value`, message: 'is for observations' }] : []),
    ];
  });
}

const otherClock =
  'cannot be compared with the index event: one has days of the timeline, the other has dates';
