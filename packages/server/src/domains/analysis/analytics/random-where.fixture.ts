import fc from 'fast-check';
import { codes, genes } from './random-lake.fixture.ts';

export const one = <T>(operator: string, value: T) => ({ operator, value });
const number = fc.constantFrom(
  one('eq', 50),
  one('ne', 50),
  one('lt', 40),
  one('lte', 40),
  one('gt', 60),
  one('gte', 60),
  one('in', [1, 50, 99]),
  one('notIn', [1, 50]),
  one('between', [20, 70]),
  one('exists', true),
  one('exists', false),
);
const code = fc.oneof(
  fc.constantFrom(...codes).map((value) => one('eq', value)),
  fc.constantFrom(
    one('ne', 'a'),
    one('in', ['a', 'b']),
    one('notIn', ['c']),
    one('startsWith', 'a'),
    one('contains', 'b'),
    one('endsWith', 'c'),
    one('exists', false),
  ),
);
const date = fc.constantFrom(
  one('lt', '2015-01-01'),
  one('gte', '2015-01-01'),
  one('between', ['2012-01-01', '2016-12-31']),
  one('exists', true),
);
const flag = fc.constantFrom(one('eq', true), one('ne', true), one('exists', false));
const text = (...values: string[]) =>
  fc.oneof(
    fc.constantFrom(...values).map((value) => one('eq', value)),
    fc.constantFrom(one('in', values), one('ne', values[0]), one('exists', true)),
  );

type Condition = fc.Arbitrary<unknown>;
const optional = (fields: Record<string, Condition>) =>
  fc.record(
    Object.fromEntries(
      Object.entries(fields).map(([name, each]) => [name, fc.array(each, { minLength: 1, maxLength: 2 })]),
    ),
    { requiredKeys: [] },
  );

/** Generates conditions on one row, in groups. */
const rowOf = (fields: Record<string, Condition>) => {
  const plain = optional(fields);
  return fc.oneof(
    { weight: 4, arbitrary: plain },
    { weight: 1, arbitrary: fc.record({ not: plain }) },
    { weight: 1, arbitrary: fc.record({ or: fc.array(plain, { minLength: 1, maxLength: 3 }) }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(plain, fc.record({ and: fc.array(plain, { minLength: 1, maxLength: 2 }) }))
        .map(([a, b]) => ({ ...a, ...b })),
    },
  );
};

const measured = { code, value_quantity: number };
const leaf = fc.oneof(
  fc.record({ patient: fc.record({ conditions: rowOf({ code, onset_date: date }) }) }),
  fc.record({
    patient: fc.record({ observations: rowOf({ ...measured, value_string: text('low', 'high') }) }),
  }),
  fc.record({
    patient: fc.record({
      observations: optional(measured).chain((main) =>
        optional(measured).map((component) => ({ ...main, components: [component] })),
      ),
    }),
  }),
  fc.record({
    patient: fc.record({
      demographics: rowOf({ gender: text('male', 'female'), age: number, active: flag }),
    }),
  }),
  fc.record({
    patient: optional({
      dob: fc.constantFrom(one('lt', '1970-01-01'), one('exists', false)),
      id: text('p1', 'p2'),
    }),
  }),
  fc.record({ patient: fc.record({ all: fc.boolean() }) }),
  fc.record({
    variant: rowOf({
      gene: text(...genes),
      impact: text('HIGH', 'LOW'),
      position: fc.constantFrom(one('eq', 101), one('gt', 102)),
      is_canonical: flag,
    }),
  }),
  fc.record({ sequence: rowOf({ test_type: text('WES', 'WGS') }) }),
);
/** Generates any tree of conditions in the JSON form. */
export const { where } = fc.letrec<{ where: object; group: object }>((tie) => ({
  where: fc.oneof({ maxDepth: 4, depthSize: 'medium' }, leaf, tie('group')),
  group: fc.oneof(
    fc.record({ not: tie('where') }),
    ...['and', 'or', 'xor'].map((name) =>
      fc.array(tie('where'), { minLength: 1, maxLength: 3 }).map((of) => ({ [name]: of })),
    ),
    fc.tuple(leaf, fc.record({ not: tie('where') })).map(([a, b]) => ({ ...a, ...b })),
  ),
}));
