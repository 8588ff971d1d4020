/** Kept rows are given while the present rows of their reader cover those of the time when they were read. */
import { describeOnSqlite } from '../support/app.ts';
import { matrixTests } from './matrix.ts';

describeOnSqlite('rows that are kept', (app) => matrixTests(app, ['all', 'some', 'mixed some']));
