import { Type } from 'typebox';
import { countOf, optionalText, textOf, wholeNumber } from '../../../api/shapes.ts';

/** Filters of a search. */
export const filtersMax = 10;

const granularity = Type.Optional(
  Type.String({
    enum: ['boolean', 'count', 'aggregated', 'record'],
    description: '`boolean` (the default) or `count`; more is answered with the count',
  }),
);
const positions = (description: string) =>
  Type.String({ pattern: '^\\d{1,10}(?:,\\d{1,10})?$', description });
const text = (description: string, maxLength = 255) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));
const bases = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[ACGTUNRYSWKMBDHVacgtunryswkmbdhv]{1,1000}$', description }));

const common = {
  referenceName: text('Chromosome'),
  referenceBases: bases('Reference allele'),
  alternateBases: bases('Alternate allele; `N` is any base'),
  assemblyId: text(
    'Build of the genome, such as `GRCh38`, `hg38` or `GRCh38.p13`: only projects with variants of it',
  ),
  geneId: text('Symbol of a gene'),
  aminoacidChange: text('Change of the protein, as in `variant.amino_acid_change`'),
};

/** Query of a search as GET. */
export const searchQuery = Type.Object(
  {
    ...common,
    start: Type.Optional(positions('First base, from 0; two numbers: between them')),
    end: Type.Optional(positions('End, exclusive; two numbers: between them')),
    filters: text(
      'Terms of ontologies, such as `HP:0001250,NCIT:C16576`: patients of the samples have all',
      1000,
    ),
    requestedGranularity: granularity,
    includeResultsetResponses: text('Ignored: there are no result sets'),
    skip: Type.Optional(wholeNumber('Ignored: there are no records')),
    limit: Type.Optional(wholeNumber('Ignored: there are no records')),
  },
  { additionalProperties: false },
);

const positionList = (description: string) =>
  Type.Optional(
    Type.Array(Type.Integer({ minimum: 0, maximum: 9_999_999_999 }), {
      minItems: 1,
      maxItems: 2,
      description,
    }),
  );

/** Body of a search as POST. */
export const searchBody = Type.Object({
  meta: Type.Optional(
    Type.Object(
      { apiVersion: optionalText('Version of the standard') },
      { description: 'Request in general' },
    ),
  ),
  query: Type.Object(
    {
      requestParameters: Type.Optional(
        Type.Object(
          {
            ...common,
            start: positionList('First base, from 0; two numbers: between them'),
            end: positionList('End, exclusive; two numbers: between them'),
          },
          { additionalProperties: false, description: 'Variants to find' },
        ),
      ),
      filters: Type.Optional(
        Type.Array(
          Type.Object(
            {
              id: Type.String({ minLength: 1, maxLength: 100, description: 'Term of an ontology' }),
              scope: text('Ignored: the patients of the samples'),
              includeDescendantTerms: Type.Optional(
                Type.Boolean({ description: 'Only `false`: the term itself is counted' }),
              ),
            },
            { additionalProperties: false },
          ),
          { maxItems: filtersMax, description: 'Terms that the patients of the samples have' },
        ),
      ),
      requestedGranularity: granularity,
      includeResultsetResponses: text('Ignored: there are no result sets'),
      pagination: Type.Optional(
        Type.Object(
          {
            skip: Type.Optional(wholeNumber('Ignored')),
            limit: Type.Optional(wholeNumber('Ignored')),
          },
          { description: 'Ignored: there are no records' },
        ),
      ),
    },
    { description: 'Search' },
  ),
});

const open = (description: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: true, description });

export const documentShape = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: true,
  title: 'BeaconDocument',
});

export const searchAnswer = Type.Object(
  {
    meta: open('Request as it was understood'),
    responseSummary: Type.Object(
      {
        exists: Type.Boolean({ description: 'True if a visible allele matches' }),
        numTotalResults: Type.Optional(countOf('Number of different alleles')),
      },
      { description: 'Result' },
    ),
    info: Type.Optional(
      Type.Object(
        { isMinimum: Type.Boolean({ description: '`true`: there may be more than are counted' }) },
        { description: 'Limit of the count' },
      ),
    ),
  },
  { title: 'BeaconAnswer' },
);

const errorShape = Type.Object(
  {
    meta: open('Beacon that answers'),
    error: Type.Object(
      { errorCode: countOf('Status of the response'), errorMessage: textOf('Reason and remedy') },
      { description: 'Error in the form of the standard' },
    ),
  },
  { title: 'BeaconError' },
);
const failure = (description: string) => ({ schema: errorShape, description });

/** Documented errors of every Beacon route. */
export const beaconErrors = {
  400: failure('The input is not valid, or is no search that this beacon offers'),
  401: failure('Without a valid key or token'),
  403: failure('The account refuses the key'),
  404: failure('The beacon is off'),
  413: failure('The body is too large'),
  415: failure('The body is not JSON'),
  422: failure('The search lasts too long'),
  429: failure('Too many requests'),
  503: failure('The service has too much to do, or the search took too long over all projects'),
};
