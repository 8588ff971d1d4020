import { type Static, Type } from 'typebox';
import { exact, rangeShape } from './shapes.ts';
import { timedShape } from './timed/shapes.ts';

/** Limits of a filter. */
export const nodeLimits = {
  nodesMax: 200,
  depthMax: 8,
  idsMax: 10_000,
  genesMax: 500,
  rangesMax: 100,
  cornersMax: 200,
} as const;

/** Choices of the alterations that count. */
export const countings = ['nonSilent', 'drivers', 'pathogenic', 'all'] as const;
export const countsShape = Type.Optional(
  Type.Unsafe<(typeof countings)[number]>({
    type: 'string',
    enum: [...countings],
    description:
      'Alterations that count. `nonSilent`: all but gains and losses of single copies; `drivers`: those that their source calls so; `pathogenic`: pathogenic or likely so in ClinVar',
  }),
);

/** Kinds of alterations, each with a profile of its own. */
export const alterationKinds = ['mutation', 'copy_number', 'fusion'] as const;

const closed = { additionalProperties: false } as const;
const word = (description: string) => Type.String({ minLength: 1, maxLength: 1024, description });
const listOf = (description: string, maxItems: number) =>
  Type.Optional(Type.Array(word('Value'), { minItems: 1, maxItems, description }));
const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description });

const countMin = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description }));
const day = (description: string) =>
  Type.Optional(Type.Integer({ minimum: -100_000, maximum: 100_000, description }));

const pill = Type.Optional(
  Type.String({ minLength: 1, maxLength: 64, description: 'Id by which `ignoreOwn` names this part' }),
);

const alterationShape = Type.Object(
  {
    genes: listOf('Any of these genes; absent: any gene', nodeLimits.genesMax),
    kinds: Type.Optional(
      Type.Array(oneOf(alterationKinds, 'Kind'), {
        minItems: 1,
        maxItems: 3,
        description: 'Any of these kinds',
      }),
    ),
    classes: listOf(
      'Any of these classes: missense, inframe, truncating, splice, promoter, other, amplification, gain, loss, deletion, fusion',
      20,
    ),
    consequences: listOf('Any of these terms of the Sequence Ontology', 100),
    proteinChanges: listOf('Any of these changes of the protein, such as `V600E`', 1000),
    notProteinChanges: listOf('Another change of the protein than these', 1000),
    proteinPositions: Type.Optional(
      Type.Object(
        {
          from: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'First residue' })),
          to: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'Last residue' })),
        },
        { ...closed, description: 'Residue of the change' },
      ),
    ),
    variants: Type.Optional(
      Type.Array(
        Type.Object(
          {
            chromosome: word('Chromosome, such as `chr7`'),
            position: Type.Integer({ minimum: 0, maximum: 4_294_967_295, description: 'First base, from 1' }),
            reference: Type.Optional(word('Reference allele')),
            alternate: Type.Optional(word('Alternate allele')),
          },
          { ...closed, description: 'Allele, or any at the position' },
        ),
        { minItems: 1, maxItems: 1000, description: 'Any of these places or alleles' },
      ),
    ),
    counts: countsShape,
    partners: listOf('Other gene of the fusion', 100),
    driver: Type.Optional(oneOf(['driver', 'passenger'], 'Annotation of the alteration')),
    status: Type.Optional(oneOf(['somatic', 'germline'], 'Origin of the alteration')),
    alleleFractionMin: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Lowest fraction of reads with the allele' }),
    ),
  },
  { ...closed, title: 'StudyAlteration', description: 'Alteration; all given fields hold for the same one' },
);
export type AlterationTest = Static<typeof alterationShape>;

/** Leaves of a filter by the key that each has. */
export const leafShapes = {
  attribute: Type.Object(
    {
      attribute: word('Id of an attribute, as the list of attributes has it'),
      in: listOf('Any of these values', 2000),
      ranges: Type.Optional(
        Type.Array(rangeShape, {
          minItems: 1,
          maxItems: nodeLimits.rangesMax,
          description: 'Any of these ranges',
        }),
      ),
      na: Type.Optional(Type.Boolean({ description: 'True: subjects without a value match too' })),
      pill,
    },
    { ...closed, title: 'StudyAttributeTest', description: 'Value of an attribute' },
  ),
  alteration: Type.Object(
    { alteration: alterationShape, pill },
    { ...closed, title: 'StudyAlterationTest', description: 'Subjects with an alteration' },
  ),
  profiled: Type.Object(
    {
      profiled: Type.Object(
        {
          kind: oneOf([...alterationKinds, 'expression'], 'Kind of profile'),
          gene: Type.Optional(word('Gene that the panel must have')),
          panel: Type.Optional(word('Id of the panel')),
        },
        { ...closed, description: 'Profile' },
      ),
      pill,
    },
    { ...closed, title: 'StudyProfiledTest', description: 'Subjects that are profiled' },
  ),
  event: Type.Object(
    {
      event: Type.Object(
        {
          type: word('Type of the event in the timeline'),
          countMin: countMin('Lowest number of such events'),
          fromDay: day('First day of its start'),
          toDay: day('Last day of its start'),
        },
        { ...closed, description: 'Event' },
      ),
      pill,
    },
    { ...closed, title: 'StudyEventTest', description: 'Patients with events in their timeline' },
  ),
  timed: Type.Object(
    { timed: timedShape, pill },
    { ...closed, title: 'StudyTimedTest', description: 'Members of a cohort with time' },
  ),
  treatment: Type.Object(
    {
      treatment: Type.Object(
        {
          agents: listOf('Any of these agents; absent: any', 100),
          countMin: countMin('Lowest number of such treatments'),
          fromDay: day('Ends on this day or later'),
          toDay: day('Starts on this day or earlier'),
        },
        { ...closed, description: 'Treatment' },
      ),
      pill,
    },
    { ...closed, title: 'StudyTreatmentTest', description: 'Patients with treatments in their timeline' },
  ),
  region: Type.Object(
    {
      region: Type.Object(
        {
          x: word('Horizontal axis: a numeric attribute, or `expression:` and the symbol of a gene'),
          y: word('Vertical axis, likewise'),
          logs: Type.Optional(
            Type.Array(oneOf(['x', 'y'], 'Axis'), {
              ...{ maxItems: 2, uniqueItems: true },
              description: 'Axes on a logarithmic scale, on which the sides of the region are straight',
            }),
          ),
          corners: Type.Array(
            Type.Object(
              {
                x: Type.Number({ ...exact, description: 'Value on the horizontal axis' }),
                y: Type.Number({ ...exact, description: 'Value on the vertical axis' }),
              },
              { ...closed, description: 'Corner' },
            ),
            {
              ...{ minItems: 3, maxItems: nodeLimits.cornersMax },
              description: 'Corners in their order; the last one is joined to the first',
            },
          ),
        },
        { ...closed, description: 'Polygon; where its sides cross, the rule is even–odd' },
      ),
      pill,
    },
    { ...closed, title: 'StudyRegionTest', description: 'Subjects in a region of a plot of two numbers' },
  ),
  list: Type.Object(
    {
      list: Type.Array(word('Id'), {
        maxItems: nodeLimits.idsMax,
        description: 'Any of these samples, or samples of these patients',
      }),
      pill,
    },
    { ...closed, title: 'StudyListTest', description: 'Subjects by ids of samples or patients' },
  ),
  samples: Type.Object(
    {
      samples: Type.Array(word('Id'), { maxItems: nodeLimits.idsMax, description: 'Any of these samples' }),
      pill,
    },
    { ...closed, title: 'StudySamplesTest', description: 'Samples by their ids' },
  ),
  patients: Type.Object(
    {
      patients: Type.Array(word('Id'), { maxItems: nodeLimits.idsMax, description: 'Any of these patients' }),
      pill,
    },
    { ...closed, title: 'StudyPatientsTest', description: 'Patients by their ids' },
  ),
  cohort: Type.Object(
    { cohort: Type.String({ minLength: 1, maxLength: 255, description: 'Id of a cohort' }), pill },
    { ...closed, title: 'StudyCohortTest', description: 'Members of a cohort' },
  ),
  where: Type.Object(
    {
      where: Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Conditions of an analytics query: docs/analytics.md',
      }),
      pill,
    },
    { ...closed, title: 'StudyWhereTest', description: 'Patients by conditions on their rows' },
  ),
} as const;

type LeafKind = keyof typeof leafShapes;
export type LeafOf<K extends LeafKind> = Static<(typeof leafShapes)[K]>;
export type Leaf = { [K in LeafKind]: LeafOf<K> }[LeafKind];

/** Filter of a study: a tree of tests on subjects. */
export type Node =
  | { and: Node[]; pill?: string }
  | { or: Node[]; pill?: string }
  /** Not altered means profiled and without; `include` adds those that are not profiled. */
  | { not: Node; unprofiled?: 'include'; pill?: string }
  | Leaf;

const self = Type.Unsafe<Node>({ $ref: '#/components/schemas/StudyNode' });
const group = (key: 'and' | 'or', description: string) =>
  Type.Object(
    { [key]: Type.Array(self, { description: 'Parts' }), pill },
    { ...closed, title: `Study${key === 'and' ? 'And' : 'Or'}`, description },
  );

/** Schema of a filter for the API document; `readNode` validates. */
export const nodeShape = Type.Unsafe<Node>({
  title: 'StudyNode',
  description: 'Filter of subjects',
  anyOf: [
    group('and', 'Subjects that pass all parts; without parts all'),
    group('or', 'Subjects that pass a part; without parts none'),
    Type.Object(
      {
        not: self,
        unprofiled: Type.Optional(
          oneOf(['include'], 'Set: subjects that are not profiled count as not altered'),
        ),
        pill,
      },
      {
        ...closed,
        title: 'StudyNot',
        description: 'Subjects that do not pass. Not altered means profiled and without',
      },
    ),
    ...Object.values(leafShapes),
  ],
});
