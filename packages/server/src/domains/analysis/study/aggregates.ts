import { type Static, type TSchema, Type } from 'typebox';
import { alterationKinds, countsShape, type Node, nodeShape } from './node.ts';
import { exact } from './shapes.ts';
import { momentShape, timedShape } from './timed/shapes.ts';

const closed = { additionalProperties: false } as const;
const id = Type.String({ minLength: 1, maxLength: 64, description: 'Key of its result' });
const ignoreOwn = Type.Optional(
  Type.String({ minLength: 1, maxLength: 64, description: 'Pill of the filter that it leaves out' }),
);
const attribute = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });
const axis = (description: string) =>
  attribute(
    `${description}: id of an attribute, or \`expression:\`, \`mutation:\`, \`copy_number:\`, \`fusion:\` and a gene`,
  );
const top = (maximum: number) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum, description: 'Number of items; the rest is counted as one' }),
  );

const shape = <K extends string, P extends Record<string, TSchema>>(
  kind: K,
  description: string,
  fields: P,
) =>
  Type.Object(
    { id, kind: Type.Unsafe<K>({ type: 'string', enum: [kind], description: 'Kind' }), ignoreOwn, ...fields },
    { ...closed, title: `Study${titleOf(kind)}Aggregate`, description },
  );

const titleOf = (kind: string): string => kind.charAt(0).toUpperCase() + kind.slice(1);

/** Filter of a group; `StudyReader` validates it. */
const groupFilter = Type.Unsafe<Node>({
  type: 'object',
  additionalProperties: true,
  'x-described': nodeShape,
});
const groupsOf = (minItems: number) => ({
  groups: Type.Array(
    Type.Object(
      { id, filter: groupFilter },
      { ...closed, title: 'StudyGroup', description: 'Group of subjects' },
    ),
    { minItems, maxItems: 10, description: 'Groups within the filter, with distinct ids' },
  ),
  overlap: Type.Optional(
    Type.Unsafe<'exclude' | 'include'>({
      type: 'string',
      enum: ['exclude', 'include'],
      description:
        'Patients in several groups: `exclude` leaves them out of all; `include` keeps them, without tests. Absent: without tests if there are any',
    }),
  ),
});
const someOf = <S extends TSchema>(item: S, maxItems: number, description: string) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems, description }));

/** Largest number of genes of a page. */
const genesMax = 500;

/** Fields of genes whose alterations are shown or counted together. */
const genesTogether = (minItems: number, maxItems: number) => ({
  genes: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    ...{ minItems, maxItems, uniqueItems: true, description: 'Symbols of genes' },
  }),
  classes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: 20,
      description: 'Classes of alterations that count; all but `gain` and `loss` by default',
    }),
  ),
  onlyDrivers: Type.Optional(
    Type.Boolean({ description: 'True: alterations count that their source calls a driver' }),
  ),
  withoutGermline: Type.Optional(Type.Boolean({ description: 'True: germline alterations do not count' })),
});

/** Aggregates by kind. */
export const aggregateShapes = {
  count: shape('count', 'Samples and patients', {}),
  values: shape('values', 'Subjects by value of an attribute', {
    attribute: attribute('Id of the attribute'),
    top: top(2000),
  }),
  bins: shape('bins', 'Subjects by range of a numeric attribute', {
    attribute: attribute('Id of the attribute'),
    method: Type.Optional(
      Type.Unsafe<'auto' | 'median' | 'quartiles' | 'log'>({
        type: 'string',
        enum: ['auto', 'median', 'quartiles', 'log'],
        description: 'Choice of the edges; default `auto`',
      }),
    ),
    edges: Type.Optional(
      Type.Array(Type.Number(exact), {
        minItems: 1,
        maxItems: 100,
        description: 'Edges, in ascending order',
      }),
    ),
    size: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: exact.maximum, description: 'Width of a bar' }),
    ),
    anchor: Type.Optional(Type.Number({ ...exact, description: 'Edge from which widths count; default 0' })),
  }),
  genes: shape('genes', 'Genes by altered subjects', {
    alteration: Type.Unsafe<(typeof alterationKinds)[number]>({
      type: 'string',
      enum: [...alterationKinds],
      description: 'Kind of alterations',
    }),
    classes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: 20,
        description: 'Classes that count; absent: by `counts`',
      }),
    ),
    counts: countsShape,
    top: top(genesMax),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Beginning of the symbol, without regard to case',
      }),
    ),
  }),
  coverage: shape('coverage', 'Subjects that have a value, by attribute', {
    attributes: Type.Optional(
      Type.Array(attribute('Id'), {
        ...{ minItems: 1, maxItems: 30, uniqueItems: true },
        description: 'Only these attributes, with a preview of their values; absent: all, without previews',
      }),
    ),
  }),
  km: shape('km', 'Survival by the estimate of Kaplan and Meier', {
    time: attribute('Attribute with the time to the event, or to the end of observation'),
    status: attribute('Attribute with the status: `1:…` the event, `0:…` none'),
    group: Type.Optional(attribute('Attribute whose values have a curve each')),
  }),
  box: shape('box', 'Quartiles of a numeric attribute by the values of another', {
    number: attribute('Numeric attribute'),
    group: attribute('Attribute whose values are the groups'),
  }),
  density: shape('density', 'Subjects on a grid of two numeric attributes, and their correlation', {
    x: attribute('Numeric attribute'),
    y: attribute('Numeric attribute'),
    side: Type.Optional(
      Type.Integer({ minimum: 2, maximum: 100, description: 'Cells on each side; default 50' }),
    ),
    pointsMax: Type.Optional(
      Type.Integer({
        ...{ minimum: 1, maximum: 5000 },
        description: 'Up to so many pairs of values are `points`; more are `cells`',
      }),
    ),
  }),
  points: shape('points', 'Values of two axes in each subject, without ids', {
    x: axis('Axis'),
    y: axis('Axis'),
    colour: Type.Optional(axis('Third value')),
  }),
  table: shape('table', 'Subjects by the values of two attributes', {
    row: attribute('Attribute of the rows'),
    column: attribute('Attribute of the columns'),
    top: top(100),
  }),
  overlap: shape('overlap', 'Patients that groups share', groupsOf(2)),
  enrichment: shape('enrichment', 'Tests of groups against each other: one family with corrected p-values', {
    ...groupsOf(2),
    attributes: someOf(attribute('Id'), 60, 'Attributes that are compared'),
    of: someOf(
      Type.Unsafe<(typeof alterationKinds)[number] | 'expression'>({
        type: 'string',
        enum: [...alterationKinds, 'expression'],
        description: 'Kind',
      }),
      4,
      'Kinds of alterations that are compared gene by gene, and expression',
    ),
    top: top(5000),
  }),
  survival: shape('survival', 'Survival of groups: curves, numbers at risk and tests', {
    ...groupsOf(1),
    time: Type.Optional(
      attribute(
        'Attribute with the time. Absent: days from the index event of `timed` to `event`, or years from the first diagnosis to death',
      ),
    ),
    status: Type.Optional(attribute('Attribute with the status: `1:…` the event, `0:…` none')),
    entry: Type.Optional(
      attribute('Attribute with the time from which a patient is observed (left truncation)'),
    ),
    events: someOf(attribute('Value'), 50, 'Values of the status that are the event; others are censored'),
    diagnosis: Type.Optional(attribute('Code of the diagnosis from which time counts, without `time`')),
    timed: Type.Optional(timedShape),
    event: Type.Optional(momentShape),
    landmarks: someOf(
      Type.Number({ minimum: 0, maximum: exact.maximum }),
      10,
      'Times at which curves are read',
    ),
    scale: Type.Optional(
      Type.Unsafe<'log' | 'log-log'>({
        type: 'string',
        enum: ['log', 'log-log'],
        description: 'Scale of the 95 % intervals; default `log`',
      }),
    ),
  }),
  attrition: shape('attrition', 'Patients who are left after each step of a cohort with time', {
    timed: timedShape,
  }),
  oncoprint: shape('oncoprint', 'Alterations of genes in each subject, as packed codes, with tracks', {
    ...genesTogether(1, 200),
    tracks: Type.Optional(
      Type.Array(attribute('Id'), { maxItems: 20, description: 'Attributes whose values are shown' }),
    ),
    expression: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        ...{ maxItems: 50, uniqueItems: true, description: 'Genes whose expression is shown' },
      }),
    ),
  }),
  pairs: shape('pairs', 'Subjects with alterations of one, both or none of two genes', genesTogether(2, 60)),
  profiles: shape('profiles', 'Subjects by the kinds of changes and the panels that they are profiled for', {
    top: top(500),
  }),
  events: shape('events', 'Patients by the type of their events', { top: top(500) }),
  treatments: shape('treatments', 'Patients by the agent of their treatments', { top: top(500) }),
} as const;

export type AggregateKind = keyof typeof aggregateShapes;
export type AggregateOf<K extends AggregateKind> = Static<(typeof aggregateShapes)[K]>;
export type Aggregate = { [K in AggregateKind]: AggregateOf<K> }[AggregateKind];

/** Schema of an aggregate for the API document; `readAggregates` validates. */
export const aggregateShape = Type.Unsafe<Aggregate>({
  title: 'StudyAggregate',
  description: 'Aggregate over the matching subjects',
  anyOf: Object.values(aggregateShapes),
});
