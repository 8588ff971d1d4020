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

/** Content of an ingested file, as the API shows it. */
export const foundShape = Type.Object(
  {
    tables: Type.Record(Type.String(), Type.Integer(), { description: 'Rows of each table' }),
    samples: namesShape('Number of samples, and the first twenty; only for those who may read the file'),
    patients: namesShape('Number of patients, and the first twenty; only for those who may read the file'),
  },
  { description: 'Content of the file, once the ingestion has succeeded' },
);
