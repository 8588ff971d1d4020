import { tokensOf } from '@ploidy/formats/statement-text';

/** Clauses of Presto that the engine's parser does not read, with what to write. Words are in lower case, texts are `·`. */
const remedies: readonly [clause: RegExp, remedy: string][] = [
  [/\bmatch_recognize\b/, 'MATCH_RECOGNIZE is not supported: write lag and lead over a window'],
  [/\bwith function\b/, 'WITH FUNCTION is not supported: write the expression where it is used'],
  [/\bwith session\b/, 'WITH SESSION is not supported: there are no properties to set'],
  [/\bcorresponding\b/, 'CORRESPONDING is not supported: write the columns of both queries in one order'],
  [/\bgroup by distinct\b/, 'GROUP BY DISTINCT is not supported: write each set once in GROUPING SETS'],
  [/\bwith ties\b/, 'WITH TIES is not supported: write QUALIFY rank() OVER (ORDER BY x) <= 10'],
  [
    /\bbetween (?:a?symmetric)\b/,
    'BETWEEN SYMMETRIC is not supported: write BETWEEN least(a, b) AND greatest(a, b)',
  ],
  [/\bon overflow\b/, 'ON OVERFLOW is not supported: a text may have any length'],
  [/\byear to month\b/, "INTERVAL … YEAR TO MONTH is not supported: write INTERVAL '14' MONTH"],
  [/\bday to second\b/, "INTERVAL … DAY TO SECOND is not supported: write INTERVAL '93784' SECOND"],
  [
    /\bfor (?:system_)?(?:version|timestamp|time) as of\b/,
    'FOR … AS OF is not supported: statements read the present data',
  ],
  [
    /[,(]?\bfrom table \(|, table \(|\bjoin table \(/,
    'TABLE(…) is not supported: write UNNEST(sequence(1, 3)) AS t(n)',
  ],
  [/\buescape\b/, "UESCAPE is not supported: write \\ in U&'…'"],
  [
    /\) \. \*/,
    'the fields of an expression are read by a query within FROM: SELECT r.* FROM (SELECT … AS r)',
  ],
];

/** Returns the remedy for a clause in a statement that cannot be read; undefined without one. */
export function remedyOf(sql: string): string | undefined {
  const text = tokensOf(sql)
    .map(({ kind, text: written }) => (kind === 'text' || kind === 'name' ? '·' : written))
    .join(' ');
  return remedies.find(([clause]) => clause.test(text))?.[1];
}
