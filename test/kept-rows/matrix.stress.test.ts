/** The matrix of `matrix.test.ts` for every kind of reader. */
import { describeOnPostgres } from '../support/app.ts';
import { matrixTests } from './matrix.ts';
import { kinds, seesRows } from './readers.ts';

describeOnPostgres('rows that are kept, of every kind of reader', (app) =>
  matrixTests(app, kinds.filter(seesRows)),
);
