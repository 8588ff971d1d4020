import { Type } from 'typebox';
import { countOf, optionalText, textOf } from '../../../api/shapes.ts';
import { enrichmentShape, overlapShape, survivalShape } from './comparison/result-shapes.ts';
import { oncoprintShape } from './oncoprint.ts';
import { pairsShape } from './pairs.ts';
import { curveOf, orNull, profilesShape, rangeShape, real, subjects } from './shapes.ts';

const valuesShape = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        value: textOf('Value'),
        label: Type.Optional(textOf('Words for the value')),
        count: subjects('Subjects with it'),
      }),
      { description: 'Most frequent first' },
    ),
    other: Type.Object(
      {
        values: Type.Union([Type.Integer(), Type.Null()], {
          description: 'Further values; null: small counts are hidden',
        }),
        count: subjects('Subjects with one of them'),
      },
      { description: 'Rest of the values' },
    ),
    na: subjects('Subjects without a value'),
  },
  { title: 'StudyValues', description: 'Subjects by value' },
);

const binsShape = Type.Object(
  {
    bars: Type.Array(
      Type.Object({
        range: Type.Optional(rangeShape),
        text: Type.Optional(textOf('Value that is no number')),
        count: subjects('Subjects in it'),
      }),
      { description: 'In ascending order. A range or text is also that of a filter on the same subjects' },
    ),
    na: subjects('Subjects without a value'),
    numbers: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({ description: 'Values' }),
          mean: Type.Number({ description: 'Mean' }),
          median: Type.Number({ description: 'Median' }),
          low: Type.Number({ description: 'Lowest value' }),
          high: Type.Number({ description: 'Highest value' }),
        },
        { description: 'Figures of the numbers; absent without numbers, and where small counts are hidden' },
      ),
    ),
  },
  { title: 'StudyBins', description: 'Subjects by range' },
);

const coverageShape = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        attribute: textOf('Id of the attribute'),
        count: Type.Integer({ description: 'Subjects that have a value' }),
        share: Type.Number({ description: 'Part of the matching subjects, up to 1' }),
        values: Type.Optional(valuesShape),
        bins: Type.Optional(binsShape),
      }),
      { description: 'Attributes with a value, those with most subjects first' },
    ),
  },
  { title: 'StudyCoverage', description: 'Subjects that have a value, by attribute' },
);

const genesShape = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        gene: textOf('Symbol of the gene'),
        class: Type.Optional(textOf('Class of the copy number')),
        events: subjects('Alterations'),
        altered: subjects('Subjects with an alteration'),
        onPanel: subjects('Altered subjects that are profiled for the gene'),
        profiled: subjects('Subjects that are profiled for the gene'),
        percent: Type.Union([Type.Number(), Type.Null()], {
          description: '`onPanel` of `profiled`; null: see `reason`',
        }),
        reason: Type.Optional(
          Type.Unsafe<'notProfiled' | 'small'>({
            type: 'string',
            enum: ['notProfiled', 'small'],
            description: 'Absence of `percent`: no subject is profiled, or too few are altered',
          }),
        ),
      }),
      { description: 'Highest share first' },
    ),
    genes: Type.Integer({
      description:
        'Genes with an alteration, beyond this list too; of this list where small counts are hidden',
    }),
    profiled: subjects('Subjects that are profiled for this kind'),
  },
  { title: 'StudyGenes', description: 'Genes by altered subjects' },
);

const kmShape = Type.Object(
  {
    curves: Type.Array(
      Type.Object({
        group: optionalText('Value of the group; absent without groups'),
        ...curveOf,
      }),
      { description: 'One for each group' },
    ),
    leftOut: countOf('Patients without a time, a status or a group'),
  },
  { title: 'StudySurvival', description: 'Survival' },
);

const attritionShape = Type.Object(
  {
    steps: Type.Array(
      Type.Object({
        step: Type.Unsafe<'matching' | 'index' | 'prior' | 'rule'>({
          type: 'string',
          enum: ['matching', 'index', 'prior', 'rule'],
          description: 'Patients who pass the filter; with an index event; with a prior record; by a rule',
        }),
        name: optionalText('Name of the rule'),
        patients: subjects('Patients who pass this step and all before it'),
        alone: Type.Optional(subjects('Patients with an index event that passes this step')),
        events: Type.Optional(subjects('Index events that pass this step and all before it')),
      }),
      { description: 'In the order in which they are applied; the last one has the members' },
    ),
  },
  { title: 'StudyAttrition', description: 'Patients who are left after each step of a cohort with time' },
);

const boxShape = Type.Object(
  {
    groups: Type.Array(
      Type.Object({
        group: textOf('Value of the group'),
        count: countOf('Values'),
        low: real('Lowest value'),
        q1: real('First quartile'),
        median: real('Median'),
        q3: real('Third quartile'),
        high: real('Highest value'),
        mean: real('Mean'),
      }),
      { description: 'Largest first' },
    ),
    isCut: Type.Boolean({ description: 'True if there are further groups' }),
  },
  { title: 'StudyBoxes', description: 'Quartiles by group' },
);

const axis = (description: string) =>
  Type.Optional(Type.Object({ from: real('Lowest value'), to: real('Highest value') }, { description }));

const densityShape = Type.Object(
  {
    count: countOf('Pairs of values'),
    side: countOf('Cells on each side'),
    pearson: orNull('Correlation of Pearson; null if there is none'),
    spearman: orNull('Correlation of Spearman; null if there is none'),
    x: axis('Ends of the axis; absent without values'),
    y: axis('Ends of the axis; absent without values'),
    cells: Type.Array(
      Type.Object({
        x: countOf('Place on the axis, from 0'),
        y: countOf('Place on the axis, from 0'),
        count: countOf('Pairs of values'),
      }),
      { description: 'Cells that are not empty; none where there are points' },
    ),
    points: Type.Optional(
      Type.Array(Type.Object({ x: real('Value'), y: real('Value') }), {
        description: 'Pairs of values in no order, if they are as few as `pointsMax`',
      }),
    ),
  },
  { title: 'StudyDensity', description: 'Density of two numbers' },
);

const plotted = Type.Union([Type.Number(), Type.String()], { description: 'Number, or text of a category' });

const pointsShape = Type.Object(
  {
    count: countOf('Subjects with both values'),
    points: Type.Array(Type.Object({ x: plotted, y: plotted, colour: Type.Optional(plotted) }), {
      description: 'Values of each subject, in no order',
    }),
  },
  { title: 'StudyPoints', description: 'Values of two axes' },
);

const tableShape = Type.Object(
  {
    cells: Type.Array(
      Type.Object({ row: textOf('Value'), column: textOf('Value'), count: subjects('Subjects with both') }),
      { description: 'Cells that are not empty' },
    ),
    rows: Type.Optional(countOf('Distinct values of the row, beyond this table too')),
    columns: Type.Optional(countOf('Distinct values of the column, beyond this table too')),
  },
  { title: 'StudyTable', description: 'Subjects by two values' },
);

const eventsShape = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        name: textOf('Type of the event, or agent'),
        events: subjects('Events'),
        patients: subjects('Patients'),
      }),
      { description: 'Most frequent first' },
    ),
    names: countOf(
      'Distinct types or agents, beyond this list too; of this list where small counts are hidden',
    ),
  },
  { title: 'StudyEvents', description: 'Patients by event' },
);

/** Schema of the result of an aggregate: one field, by its kind, or an error. */
export const resultShape = Type.Object(
  {
    error: Type.Optional(
      Type.Object(
        { code: textOf('Code of the error'), message: textOf('Reason in one sentence') },
        { title: 'StudyError', description: 'Reason why this aggregate has no result' },
      ),
    ),
    count: Type.Optional(
      Type.Object(
        { samples: subjects('Samples'), patients: subjects('Patients') },
        { title: 'StudyCount', description: 'Samples and patients' },
      ),
    ),
    values: Type.Optional(valuesShape),
    bins: Type.Optional(binsShape),
    genes: Type.Optional(genesShape),
    coverage: Type.Optional(coverageShape),
    km: Type.Optional(kmShape),
    overlap: Type.Optional(overlapShape),
    enrichment: Type.Optional(enrichmentShape),
    survival: Type.Optional(survivalShape),
    attrition: Type.Optional(attritionShape),
    box: Type.Optional(boxShape),
    density: Type.Optional(densityShape),
    points: Type.Optional(pointsShape),
    table: Type.Optional(tableShape),
    oncoprint: Type.Optional(oncoprintShape),
    pairs: Type.Optional(pairsShape),
    profiles: Type.Optional(profilesShape),
    events: Type.Optional(eventsShape),
    treatments: Type.Optional(eventsShape),
  },
  { title: 'StudyResult', description: 'Result under the name of its kind, or `error`' },
);

/** Schema of an attribute in the list. */
export const attributeShape = Type.Object(
  {
    id: textOf('Id in filters and aggregates'),
    level: Type.Unsafe<'patient' | 'sample'>({
      type: 'string',
      enum: ['patient', 'sample'],
      description: 'Subject that has it',
    }),
    name: textOf('Name for people'),
    type: Type.Unsafe<'string' | 'number' | 'boolean'>({
      type: 'string',
      enum: ['string', 'number', 'boolean'],
      description: 'Type of its values',
    }),
    unit: Type.Optional(textOf('Unit of its values')),
    description: Type.Optional(textOf('Meaning')),
    priority: Type.Integer({ description: 'Place among the charts: higher is earlier; 0 is hidden' }),
    share: Type.Number({ description: 'Part of the subjects of its level that have a value, up to 1' }),
    origin: Type.Unsafe<'table' | 'study'>({
      type: 'string',
      enum: ['table', 'study'],
      description: '`table`: a column of the lake; `study`: an attribute that a file defines',
    }),
  },
  { title: 'StudyAttribute', description: 'Attribute of patients or samples' },
);
