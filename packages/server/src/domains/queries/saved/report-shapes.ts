import { type Static, Type } from 'typebox';
import { descriptionShape, nameShape, textOf, timestampShape } from '../../../api/shapes.ts';

/** Pages of the console whose figures a report holds. */
const figurePages = ['study', 'plots', 'comparison', 'oncoprint', 'sql'] as const;

const idShape = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'Id of the part in its report; distinct',
});

const textPart = Type.Object(
  {
    id: idShape,
    kind: Type.Literal('text', { description: 'A text' }),
    text: Type.String({ maxLength: 20_000, description: 'Paragraphs; an empty line separates two' }),
  },
  { title: 'ReportText' },
);

const figurePart = Type.Object(
  {
    id: idShape,
    kind: Type.Literal('figure', { description: 'A figure' }),
    title: nameShape('Title of the figure'),
    caption: Type.Optional(Type.String({ maxLength: 2_000, description: 'Text below the figure' })),
    page: Type.Unsafe<(typeof figurePages)[number]>({
      type: 'string',
      enum: [...figurePages],
      description: 'Page of the console that draws it',
    }),
    state: Type.String({
      maxLength: 16_384,
      description: 'Query part of the address of the page: the filter and the settings',
    }),
    chart: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Id of the chart on a page of several' }),
    ),
    version: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Version of the data when the figure was kept',
      }),
    ),
  },
  { title: 'ReportFigure' },
);

/** Keeper of a figure, and the time. */
const keptShape = Type.Object(
  { by: textOf('Id of the user who kept it'), time: timestampShape },
  { title: 'ReportKept', description: 'Keeper of the figure, and the time' },
);

export const reportInput = {
  name: nameShape('Display name; need not be unique'),
  description: descriptionShape,
  shared: Type.Optional(
    Type.Boolean({
      description: 'True: readers of the data of the project, also of masked data, may read it',
    }),
  ),
  parts: Type.Array(Type.Union([textPart, figurePart]), {
    maxItems: 100,
    description: 'Texts and figures in their order. Figures hold no rows: each reader draws them anew',
  }),
};

const keptFigure = Type.Object({ ...figurePart.properties, kept: keptShape }, { title: 'ReportKeptFigure' });
export const keptParts = Type.Array(Type.Union([textPart, keptFigure]), { description: 'Texts and figures' });

export type PartInput = Static<(typeof reportInput)['parts']>[number];
export type Part = Static<typeof keptParts>[number];
