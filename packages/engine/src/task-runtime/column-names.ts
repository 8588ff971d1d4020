/**
 * Headers of a result. A name in the statement is kept. An expression without one has its function's name in the engine's
 * spelling (`count(*)` → `count`), or `column_2` without a function.
 *
 * @param written Names that the statement writes down itself, in lower case.
 */
export function headersOf(names: readonly string[], written: ReadonlySet<string>): string[] {
  return uniqueNames(
    names.map((name, index) => {
      if (written.has(name.toLowerCase()) || (plainName.test(name) && name !== 'NULL')) return name;
      return nameOf(name) ?? `column_${index + 1}`;
    }),
  );
}

/** Names as tables have them: letters of every script, since titles of a project's own table keep theirs. */
const plainName = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;

/** `sum(x) FILTER (…)` → `sum`, `CAST(sum(x) AS VARCHAR)` → `sum`, `CAST(x AS DATE)` → `x`, `(a + b)` → nothing. */
function nameOf(expression: string): string | undefined {
  const cast = /^(?:TRY_)?CAST\((.*) AS [^()]{1,64}(?:\([^()]*\))?\)$/s.exec(expression)?.[1];
  if (cast === 'NULL') return undefined;
  if (cast !== undefined) return plainName.test(cast) ? cast : nameOf(cast);
  // `approx_distinct(x)` is this to the engine.
  if (expression.startsWith('main.count(DISTINCT ')) return 'approx_count_distinct';
  const called = /^(?:main\.)?"?([a-z_]\w*)"?\(/i.exec(expression)?.[1]?.toLowerCase();
  return namesForPeople.get(called ?? '') ?? called;
}

/** Names of functions that users never call by the engine's name. */
const namesForPeople: ReadonlyMap<string, string> = new Map([
  ['count_star', 'count'],
  ['arg_max_null', 'max_by'],
  ['arg_min_null', 'min_by'],
  ['date_parse_short_year', 'strptime'],
  ['date_parse_without_year', 'strptime'],
  // These have had the engine's names for long.
  ['hamming_distance', 'hamming'],
  ['levenshtein_distance', 'levenshtein'],
]);

const listsOfNames: ReadonlySet<string> = new Set(['column_name_alias', 'aliases', 'column_names']);

/** Returns every name that the syntax tree of a statement (`json_serialize_sql`) assigns or uses as a column, in lower case. */
export function writtenNames(tree: unknown): Set<string> {
  const names = new Set<string>();
  const visits = [tree];
  for (let value = visits.pop(); value !== undefined; value = visits.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, item] of Object.entries(value)) {
      if (key === 'alias' && typeof item === 'string' && item !== '') names.add(item.toLowerCase());
      if (listsOfNames.has(key) && Array.isArray(item))
        for (const name of item) names.add(String(name).toLowerCase());
      if (typeof item === 'object' && item !== null) visits.push(item);
    }
  }
  return names;
}

/** Makes names unique: the second `id` becomes `id_2`. Upper and lower case do not make names different, as in SQL. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  const used = new Set<string>();
  return names.map((name, index) => {
    const wanted = name === '' ? `column_${index + 1}` : name;
    let unique = wanted;
    for (let n = 2; used.has(unique.toLowerCase()); n += 1) {
      const candidate = `${wanted}_${n}`;
      if (!taken.has(candidate.toLowerCase())) unique = candidate;
    }
    used.add(unique.toLowerCase());
    return unique;
  });
}
