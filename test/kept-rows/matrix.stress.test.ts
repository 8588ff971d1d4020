/** The matrix of `matrix.test.ts` for every kind of reader, on both stores. */
import { describeApp } from '../support/app.ts';
import { matrixTests } from './matrix.ts';
import { kinds, seesRows } from './readers.ts';

describeApp('rows that are kept, of every kind of reader', (app) => matrixTests(app, kinds.filter(seesRows)));
