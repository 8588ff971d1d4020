import { Type } from 'typebox';
import { countOf } from '../../api/shapes.ts';

const namesShape = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        count: countOf('Number of all'),
        names: Type.Array(Type.String(), { description: 'The first twenty' }),
      },
      { description },
    ),
  );

const countedShape = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ description: 'Column, key, element or reason' }),
        count: countOf('Number of records'),
        line: Type.Optional(countOf('Line of the first of them, from 1')),
      }),
      { description: `${description}, the most frequent first; only for those who may read the file` },
    ),
  );

/** Content of an ingested file, as the API shows it. */
export const foundShape = Type.Object(
  {
    tables: Type.Record(Type.String(), Type.Integer(), { description: 'Rows of each table' }),
    samples: namesShape('Number of samples, and the first twenty; only for those who may read the file'),
    patients: namesShape('Number of patients, and the first twenty; only for those who may read the file'),
    records: Type.Optional(
      countOf('Records of the file, with those left out; only for those who may read the file'),
    ),
    read: countedShape('Columns, keys and elements that fill columns of tables'),
    kept: countedShape('Those that are kept as JSON, in `attributes` or beside the rows'),
    unread: countedShape('Those that are in no table'),
    leftOut: countedShape('Reasons for records without rows'),
  },
  { description: 'Content of the file, once the ingestion has succeeded' },
);
