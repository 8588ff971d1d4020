import { meantName } from '@ploidy/formats/nearest';
import type { RefusalKind } from './refusal.ts';

/** Error in the words of the service. */
interface Reply {
  message: string;
  kind?: RefusalKind;
  /** Unknown column or table. */
  subject?: string;
  /** Bytes from the start of the statement, where the engine names no place. */
  offset?: number | undefined;
}

/** Statement with the error, and the columns of its tables. */
interface Context {
  sql: string;
  columns: readonly string[];
}

type Words = (found: readonly string[], context: Context) => Reply;

/** Types that a refused call could have; more would hide the others. */
const signaturesMax = 4;

/** Messages of the engine with impossible or empty advice, and their replacements. */
const ownWords: readonly [pattern: RegExp, words: Words][] = [
  [
    /^Referenced column "(.+?)" not found in FROM clause!(?:\nCandidate bindings: (.*))?/s,
    ([name = '', candidates = ''], { sql, columns }) => ({
      message: `there is no column "${name}" in the tables of FROM${proposal(name, [...quoted(candidates), ...columns])}${textHint(name, sql)}`,
      kind: 'column',
      subject: name,
    }),
  ],
  [
    // Tables are views without values while a statement is planned.
    /^(?:Values list|Table) "(.+?)" does not have a column named "(.+?)"/s,
    ([table = '', name = ''], { columns }) => ({
      message: `the table "${table}" has no column "${name}"${proposal(name, columns)}`,
      kind: 'column',
      subject: name,
    }),
  ],
  [
    /^Referenced table "(.+?)" not found!(?:\nCandidate tables: (.*))?/s,
    ([name = '', candidates = '']) => ({
      message: `FROM has no table "${name}"${candidates && `, but ${candidates}`}`,
      kind: 'table',
      subject: name,
    }),
  ],
  [
    /^Column "(.+?)" does not exist on (left|right) side of join!/s,
    ([name = '', side = ''], { sql }) => ({
      message: `the table at the ${side} of the join has no column "${name}", which USING names`,
      kind: 'column',
      subject: name,
      offset: placeInUsing(name, sql),
    }),
  ],
  [
    /^No function matches the given name and argument types '([^(]+)\((.*?)\)'(?:.*?Candidate functions:(.*))?/s,
    ([name = '', given = '', candidates = '']) => ({
      message: `${called(name)} does not take (${plainTypes(given)})${remedy(name, given, candidates)}`,
    }),
  ],
  [
    /^column "?(.+?)"? must appear in the GROUP BY clause/s,
    ([name = '']) => ({
      message: `the column "${name}" must be in GROUP BY or within an aggregate, such as any_value(${name})`,
    }),
  ],
  [
    /^UNNEST requires a single list as input|Invalid LIST argument during lambda function binding/,
    () => ({ message: 'a list is needed: of a map, write UNNEST(map_entries(m)) AS t(k, v)' }),
  ],
  [
    /^table "(.+?)" has (\d+) columns available but (\d+) columns specified/,
    ([table = '', there = '', given = '']) => ({
      message: `"${table}" has ${there} columns, and ${given} names are given: UNNEST has one for each field`,
    }),
  ],
  [
    /^Type with name (\S+) does not exist/,
    ([name = '']) => ({
      message: `there is no type ${name}: write VARCHAR, BIGINT, DOUBLE, DECIMAL, BOOLEAN, DATE, TIMESTAMP, JSON, UUID, ARRAY, MAP or ROW`,
    }),
  ],
  [
    /^Cannot compare values of type .*STRUCT\(/s,
    () => ({
      message: 'a whole row is compared with a value: a name of a table is no column, write table.column',
    }),
  ],
];

/** Returns an engine's message about a statement in the service's words, where there are any. */
export function inOwnWords(message: string, context: Context): Reply {
  for (const [pattern, words] of ownWords) {
    const found = pattern.exec(message);
    if (found) return words(found.slice(1), context);
  }
  return { message };
}

const quoted = (list: string): string[] => Array.from(list.matchAll(/"([^"]+)"/g), ([, name = '']) => name);

function proposal(name: string, known: readonly string[]): string {
  const near = meantName(name, known);
  return near === undefined || near === name ? '' : ` (did you mean "${near}"?)`;
}

/** Double quotes around a string are the commonest error of users of other dialects. */
function textHint(name: string, sql: string): string {
  return sql.includes(`"${name}"`) ? `; a text is written in single quotes: '${name}'` : '';
}

/** Finds the only USING that names a column. */
function placeInUsing(name: string, sql: string): number | undefined {
  const places = Array.from(sql.matchAll(/\bUSING\s*\(([^()]*)\)/gi), ({ 0: text, index }) => {
    const at = text.toLowerCase().indexOf(name.toLowerCase(), 'USING'.length);
    return at < 0 ? [] : [index + at];
  }).flat();
  return places.length === 1 ? Buffer.byteLength(sql.slice(0, places[0])) : undefined;
}

const called = (name: string): string =>
  /^\w/.test(name) ? `the function "${name}"` : `the operator ${name}`;

/** Matches a literal, which has a type of its own while a statement is planned. */
const plainTypes = (types: string): string =>
  types.replaceAll('STRING_LITERAL', 'VARCHAR').replaceAll('INTEGER_LITERAL', 'INTEGER');

function remedy(name: string, given: string, candidates: string): string {
  if (name === '+' && /VARCHAR|STRING_LITERAL/.test(given)) return '; texts are joined by ||';
  const signatures = [
    ...new Set(candidates.split('\n').flatMap((line) => /^[^(]*\((.*)\) ->/.exec(line)?.[1] ?? [])),
  ];
  const shown = signatures.slice(0, signaturesMax).map((types) => `(${types})`);
  const more = signatures.length > signaturesMax ? ' and others' : '';
  return shown.length === 0 ? '' : `; it takes ${shown.join(', ')}${more}: use CAST(… AS …)`;
}
