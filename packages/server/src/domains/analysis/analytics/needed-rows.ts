import type { Condition } from '@ploidy/engine';
import type { Collection } from './fields.ts';
import type { PatientTest, RowTest } from './query.ts';

/** Lists what holds on every row that passes a test, so that files without such rows stay closed. Doubtful parts add nothing. */
export function neededOf(test: RowTest): Condition[] {
  if (test.kind === 'and') return test.of.flatMap(neededOf);
  if (test.kind !== 'field') return [];
  const { field, operator, values } = test;
  const { column } = field;
  // Another coding of the concept may match as well.
  if (column === undefined || field.codings || values.length === 0) return [];
  const texts = values.filter((value) => typeof value === 'string');
  const isSame = operator === 'eq' || operator === 'in';
  if (isSame && texts.length === values.length) return [{ column, among: texts }];
  const numbers = values.filter((value) => typeof value === 'number').filter(Number.isSafeInteger);
  if (numbers.length < values.length) return [];
  const [first = 0, last = first] = numbers;
  switch (operator) {
    case 'eq':
    case 'in':
      return [{ column, from: Math.min(...numbers), to: Math.max(...numbers) }];
    case 'between':
      return [{ column, from: first, to: last }];
    case 'lt':
    case 'lte':
      return [{ column, to: first }];
    case 'gt':
    case 'gte':
      return [{ column, from: first }];
    default:
      return [];
  }
}

/** Lists what holds on every target row that passes a test: parts of other collections are about its patient. */
export function neededOfTarget(test: PatientTest, target: Collection): Condition[] {
  if (test.kind === 'and') return test.of.flatMap((one) => neededOfTarget(one, target));
  if (test.kind === 'cohort' && target.ofPatient) {
    const where = [{ column: 'cohort_id', among: [test.id] }];
    return [{ column: 'patient_id', of: { table: 'cohort', column: 'patient_id', where } }];
  }
  return test.kind === 'rows' && test.collection === target ? neededOf(test.test) : [];
}
