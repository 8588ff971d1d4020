import { type TSchema, Type } from 'typebox';
import { idOf, projectIdShape, textOf } from '../../../api/shapes.ts';
import { aggregateShape } from './aggregates.ts';
import { nodeShape } from './node.ts';
import { resultShape } from './results.ts';

/** Number of aggregates of a request. */
const aggregatesMax = 60;
/** Number of groups of a request. */
const groupsMax = 10;

/** Object whose fields a handler validates. */
export const anyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

/** Fields of every request about the subjects of a project. */
export const common = {
  datasetId: projectIdShape,
  unit: Type.Optional(
    Type.Unsafe<'sample' | 'patient'>({
      type: 'string',
      enum: ['sample', 'patient'],
      description: 'Subjects that are filtered and counted; default `sample`',
    }),
  ),
};

const groupsOf = <F extends TSchema>(filter: F) => ({
  groups: Type.Optional(
    Type.Array(Type.Object({ id: idOf('Id of the group'), filter: Type.Optional(filter) }), {
      maxItems: groupsMax,
      description: 'Groups of the matching subjects, with distinct ids: everything is counted in each too',
    }),
  ),
  overlap: Type.Optional(
    Type.Unsafe<'exclude' | 'include'>({
      type: 'string',
      enum: ['exclude', 'include'],
      description: 'Default `exclude`: subjects of several groups are in none',
    }),
  ),
});

/** Body of a request whose trees the handler validates. */
export const queryShape = Type.Object({
  ...common,
  filter: Type.Optional(anyObject),
  aggregates: Type.Optional(Type.Array(anyObject, { maxItems: aggregatesMax })),
  ...groupsOf(anyObject),
});

/** Body of a request as the API document describes it. */
export const describedQueryShape = Type.Object({
  ...common,
  filter: Type.Optional(nodeShape),
  aggregates: Type.Optional(
    Type.Array(aggregateShape, { maxItems: aggregatesMax, description: 'Aggregates with distinct ids' }),
  ),
  ...groupsOf(nodeShape),
});

const matchedShape = (description: string) =>
  Type.Object(
    {
      samples: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Samples; null: too few to be shown',
      }),
      patients: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Patients; null: too few to be shown',
      }),
    },
    { description },
  );

const resultsShape = (description: string) => Type.Record(Type.String(), resultShape, { description });

/** Answer of a request. */
export const answerShape = Type.Object(
  {
    version: Type.Integer({ description: 'Version of the data that all results are about' }),
    matched: matchedShape('Subjects that pass the filter'),
    roundedTo: Type.Optional(
      Type.Integer({
        description:
          'Set for readers of masked data where small counts are hidden: counts are rounded to its multiples',
      }),
    ),
    results: resultsShape('Results by the ids of the aggregates'),
    groups: Type.Optional(
      Type.Array(
        Type.Object({
          id: textOf('Id of the group'),
          matched: matchedShape('Subjects of the group'),
          results: resultsShape('Results in the group'),
        }),
        { description: 'Set for requests with groups, in their order' },
      ),
    ),
    overlapping: Type.Optional(matchedShape('Subjects of several groups')),
    tookMs: Type.Integer({ description: 'Time in the service' }),
  },
  { title: 'StudyAnswer' },
);
