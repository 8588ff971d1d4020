/** Values at the edges of each type, as both engines read them. */
export const edges: Readonly<Record<string, readonly string[]>> = {
  BIGINT: [
    ...['0', '1', '-1', '2', '7', '-10', '100', '2024', '140753336', '9007199254740993', '-9007199254740993'],
    ...['2147483648', '9223372036854775807', '-9223372036854775808', '99999999999'],
  ],
  BOOLEAN: ['true', 'false'],
  INTEGER: ['0', '1', '-1', '2', '3', '-7', '10', '100', '2024', '65', '2147483647', '-2147483648'],
  HUGEINT: [
    '0',
    '1',
    '-1',
    '3',
    '7',
    '-20',
    '3737',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
  ],
  DOUBLE: [
    ...[
      '0',
      '-0.0',
      '1',
      '-1',
      '0.5',
      '-0.5',
      '1.5',
      '2.5',
      '-2.5',
      '3.5',
      '0.1',
      '0.3',
      '1e-7',
      '-1e-5',
      '4.35',
      '2.675',
    ],
    ...[
      '1.005',
      '123456.789',
      '-98765.4321',
      '9007199254740993',
      '4503599627370497.5',
      '1e15',
      '1e16',
      '-1e17',
      '1e22',
    ],
    ...[
      '9223372036854775807',
      '2147483647.5',
      '1.7976931348623157e308',
      '5e-324',
      '1e300',
      'NaN',
      'Infinity',
      '-Infinity',
    ],
    ...['0.49999999999999994', '33.333333333333336', '12345.5', '0.045', '100'],
  ],
  'DECIMAL(4,1)': ['0', '1', '-1', '0.5', '-0.5', '2.5', '100', '-99.9', '999.9'],
  'DECIMAL(10,4)': [
    '0',
    '1',
    '-1.5',
    '0.0001',
    '-0.0005',
    '2.34565',
    '99999.9999',
    '-99999.9999',
    '0.5',
    '1.2345',
  ],
  'DECIMAL(38,10)': [
    '0',
    '1',
    '-1',
    '0.0000000001',
    '1234567890123456789012345678.0123456789',
    '-0.5',
    '3.3333333333',
  ],
  VARCHAR: [
    ...[
      "''",
      "' '",
      "'a'",
      "'A'",
      "'abc'",
      "'ABC'",
      "'a,b,c'",
      "',a,'",
      "'BRCA2'",
      "' pad '",
      "'a_b%c'",
      "'%'",
      "'_'",
    ],
    ...[
      "'ß'",
      "'straße'",
      "'İ'",
      "'ﬁ'",
      "'é'",
      "'é'",
      "'😀'",
      "'a😀b'",
      "'Ω'",
      "'日本'",
      "'x\ny'",
      "'x\r\ny'",
      "'\t tab'",
    ],
    ...[
      "'0'",
      "'1'",
      "'-1'",
      "'007'",
      "'1.5'",
      "'-2.50'",
      "'1e3'",
      "'1_000'",
      "'0x10'",
      "'+5'",
      "' 7 '",
      "'12345678901234567890'",
    ],
    ...[
      "'2147483648'",
      "'.5'",
      "'5.'",
      "'-'",
      "'--'",
      "'1-2'",
      "'.'",
      "'nan'",
      "'NaN'",
      "'inf'",
      "'Infinity'",
      "'-infinity'",
    ],
    ...[
      "'true'",
      "'TRUE'",
      "'t'",
      "'yes'",
      "'no'",
      "'f'",
      "'2024-02-29'",
      "'2023-02-29'",
      "'2024-1-5'",
      "'2024-01-05 10:00:00'",
    ],
    ...[
      "'0000-01-01'",
      "'9999-12-31'",
      "'20-2001-01'",
      "'12:30:00'",
      "'epoch'",
      "' '",
      "'null'",
      "'\\'",
      "'a\\b'",
      '\'"q"\'',
    ],
    ...[
      "'½'",
      "'٣'",
      "'Ǆ'",
      "'ŉ'",
      "'ΑΣ'",
      "'1.7976931348623159e308'",
      "'99999999999999999999.5'",
      "'0.1'",
      "'123456789.123456789'",
    ],
  ],
  DATE: [
    ...[
      '1970-01-01',
      '1969-12-31',
      '2024-02-29',
      '2023-02-28',
      '2024-03-31',
      '2000-02-29',
      '1900-02-28',
      '1900-03-01',
    ],
    ...[
      '1582-10-04',
      '1582-10-15',
      '0001-01-01',
      '9999-12-31',
      '2024-12-30',
      '2021-01-03',
      '2020-12-31',
      '1850-06-15',
    ],
  ],
  TIMESTAMP: [
    ...[
      '1970-01-01 00:00:00',
      '1969-12-31 23:59:59.999999',
      '2024-02-29 12:30:45.123456',
      '2024-03-31 02:30:00',
    ],
    ...[
      '2024-10-27 01:30:00.5',
      '0001-01-01 00:00:00',
      '9999-12-31 23:59:59.999999',
      '2000-01-01 00:00:00.000001',
      '1900-03-01 06:07:08.9',
    ],
  ],
};

/** Returns an edge as a literal of its type, in words of both engines. */
export function literalOf(type: string, edge: string, nameOf: (type: string) => string): string {
  return `CAST(${type === 'DATE' || type === 'TIMESTAMP' || type === 'DOUBLE' ? `'${edge}'` : edge} AS ${nameOf(type)})`;
}

/** Name of the table of the edges of a type: `i`, the number of a row, and `v`. */
export const tableOf = (type: string): string => `e_${type.toLowerCase().replace(/\W+/g, '_')}`;

/** Name of the table of the edges of DOUBLE and of thousands of other values, in which last digits differ. */
export const manyDoubles = 'e_double_many';

/** Returns the further values of that table; `numbers`: a relation of `n`. */
export const furtherDoubles = (numbers: string): string =>
  `SELECT i, v FROM e_double UNION ALL SELECT 1000 + n, CAST(n AS DOUBLE) * 0.7310585786300049e0 - 1500e0 FROM ${numbers}
  UNION ALL SELECT 6000 + n, CAST(n AS DOUBLE) * 4.310585786300049e-4 - 1e0 FROM ${numbers}`;

/** Name of the table of groups of edges: `g`, the number of a group, and `v`. */
export const groupsOf = (type: string): string => `g_${type.toLowerCase().replace(/\W+/g, '_')}`;

/** Reports whether a value is so large that a sum fails on one of the engines; such a statement is run by the process. */
export const isHuge = (type: string, edge: string): boolean => type !== 'DOUBLE' && /^-?\d{18,}/.test(edge);

/** Returns the groups of a type as numbers of its edges; -1 is NULL. Each edge is alone, and beside others. */
export function groupsOfEdges(count: number): number[][] {
  const groups: number[][] = [[], [-1]];
  let seed = 7;
  const random = (max: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * max);
  };
  for (let edge = 0; edge < count; edge += 1)
    groups.push(
      [edge],
      [edge, edge],
      [edge, -1],
      [0, 1, 2, 3, 4].map((more) => (edge + more) % count),
    );
  for (let number = 0; number < 40; number += 1)
    groups.push(Array.from({ length: 2 + random(5) }, () => random(count + 1) - 1));
  return groups;
}
