import { type Static, Type } from 'typebox';
import { countOf, textOf } from '../../../api/shapes.ts';

/** Number of subjects; null where it is hidden, since it is small. */
export const subjects = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description: `${description}; null: too few to be shown` });

/** Number of a result. */
export const real = (description: string) => Type.Number({ description });
export const orNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

/** Numbers of a curve of survival. */
export const curveOf = {
  patients: countOf('Patients that are followed'),
  events: countOf('Patients with the event'),
  median: orNull('First time at which half or fewer survive; null: never'),
  medianLow: orNull('Lower end of the 95 % interval of the median; null: none'),
  medianHigh: orNull('Upper end of the 95 % interval of the median; null: none'),
  steps: Type.Array(
    Type.Object({
      time: real('Time'),
      atRisk: countOf('Patients at risk just before'),
      events: countOf('Events'),
      censored: countOf('Patients whose observation ends without the event'),
      survival: real('Estimate from this time on'),
      error: orNull('Standard error of the estimate (Greenwood); null: all had the event'),
      low: orNull('Lower end of the 95 % interval, by the logarithm; null: all had the event'),
      high: orNull('Upper end of the 95 % interval; null: all had the event'),
    }),
    { description: 'In ascending order of time' },
  ),
};

/** Bounds of numbers in a request: within them every whole number is exact. */
export const exact = { minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const;
const number = (description: string) => Type.Optional(Type.Number({ ...exact, description }));

/** Range of numbers. Equal inclusive ends mean equality. */
export const rangeShape = Type.Object(
  {
    gt: number('Above'),
    gte: number('From'),
    lt: number('Below'),
    lte: number('Up to'),
  },
  {
    additionalProperties: false,
    title: 'StudyRange',
    description: 'Range of numbers; equal inclusive ends mean equality',
  },
);
export type Range = Static<typeof rangeShape>;

/** Result of the aggregate `profiles`. */
export const profilesShape = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        kind: textOf('Kind of changes that were looked for'),
        panel: Type.Optional(textOf('Panel; absent: with any or none')),
        count: subjects('Subjects'),
      }),
      { description: 'Kinds first, then panels, the most frequent first' },
    ),
    names: countOf('Kinds and panels, beyond this list too'),
  },
  { title: 'StudyProfiles', description: 'Subjects by what they are profiled for' },
);
