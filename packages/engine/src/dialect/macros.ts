import { literal } from '../task-runtime/quote.ts';
import { xxhash64 } from './xxhash64.ts';

/**
 * Functions of Presto's dialect as macros of the engine. Some do not exist in the engine. Others have the same name there and
 * another meaning: its `concat` skips NULL, its `regexp_replace` replaces once. cases.md describes each; tests check them.
 *
 * Rules for a macro:
 * - Ploidy's own SQL calls no name that is redefined here. `system.main.f` is the function of the engine.
 * - No parameter is typed. With an aggregate as argument, the engine picks a wrong overload (DuckDB 1.5).
 *   In the body, `typeof` is right, and `cast_to_type` casts to the type of an argument.
 * - A body names an argument at most twice. The engine inserts its text each time, so `f(f(f(x)))` grows exponentially.
 * - The variable of a lambda is `_ploidy_a`: it would hide a column of the same name in the argument.
 * - An argument that is used in a lambda may hold no `unnest` and no subquery.
 */
/** Puts the options into the pattern: the engine accepts only constants as options, and an argument of a macro is none. */
const withOptions = `CASE WHEN length(translate(o, 'gc', '')) > 0 THEN '(?' || translate(o, 'gc', '') || ')' || p ELSE p END`;

/**
 * Characters that Presto trims; the engine trims no tabs and line ends. The engine's trim with as many characters is far slower than
 * this.
 */
const whitespace = String.raw`[\t-\r\x1c-\x20\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}]+`;

/** `$1` is a group, `\$` a dollar, `\\` a backslash and `\d` the letter; the engine's groups are `\1`. */
const withSigns = `replace(replace(r, '\\\\', chr(2)), '\\$', chr(1))`;
const withGroups = `system.main.regexp_replace(system.main.regexp_replace(${withSigns}, '\\\\([^0-9])', '\\1', 'g'), '\\$([0-9])', '\\\\\\1', 'g')`;
const replacement = `replace(replace(${withGroups}, chr(1), '$'), chr(2), '\\\\')`;

/** Splits at the separators; a separator at the end starts no entry. */
const entries = `list_transform([string_split(s, e)], lambda _ploidy_a: CASE WHEN _ploidy_a[-1] = '' THEN _ploidy_a[:-2] ELSE _ploidy_a END)[1]`;

/** The engine's own counts bytes: each letter that is there becomes one. The end of a line would end a definition. */
const letters = `array_to_string(list_distinct(string_split(_ploidy_a[1] || _ploidy_a[2], '')), '')`;
const bytes = String.fromCharCode(...Array.from({ length: 127 }, (_, index) => index + 1)).replace('\n', '');
const replaced = (text: string): string => `translate(${text}, _ploidy_b, ${literal(bytes)})`;
const levenshteinOfLetters = `list_transform([${letters}], lambda _ploidy_b: CASE WHEN length(_ploidy_b) > 126 THEN error('levenshtein_distance knows at most 126 different letters, when some are beyond ASCII') ELSE levenshtein(${replaced('_ploidy_a[1]')}, ${replaced('_ploidy_a[2]')}) END)[1]`;

const texts = `
concat(a) AS a
concat(a, b) AS a || b
concat(a, b, c) AS a || b || c
concat(a, b, c, d) AS a || b || c || d
concat(a, b, c, d, e) AS a || b || c || d || e
concat(a, b, c, d, e, f) AS a || b || c || d || e || f
concat(a, b, c, d, e, f, g) AS a || b || c || d || e || f || g
concat(a, b, c, d, e, f, g, h) AS a || b || c || d || e || f || g || h
regexp_replace(s, p) AS system.main.regexp_replace(s, p, '', 'g')
regexp_replace(s, p, r) AS system.main.regexp_replace(s, p, ${replacement}, 'g')
regexp_replace(s, p, r, o) AS CASE WHEN system.main.contains(o, 'g') THEN system.main.regexp_replace(s, ${withOptions}, r, 'g') ELSE system.main.regexp_replace(s, ${withOptions}, r) END
regexp_extract(s, p) AS CASE WHEN regexp_matches(s, p) THEN system.main.regexp_extract(s, p) END
regexp_extract(s, p, g) AS CASE WHEN regexp_matches(s, p) THEN system.main.regexp_extract(s, p, g) END
regexp_extract(s, p, g, o) AS system.main.regexp_extract(s, ${withOptions}, g)
split_part(s, d, n) AS CASE WHEN n <= len(string_split(s, d)) THEN system.main.split_part(s, d, n) END
regexp_count(s, p) AS len(regexp_extract_all(s, p))
regexp_split(s, p) AS regexp_split_to_array(s, p)
split_to_map(s, e, k) AS map_from_entries(list_transform(CASE WHEN e IS NOT NULL AND k IS NOT NULL THEN ${entries} END, lambda _ploidy_b: CASE WHEN len(string_split(_ploidy_b, k)) <> 2 THEN error('split_to_map wants one key and one value in each entry') ELSE row(system.main.split_part(_ploidy_b, k, 1), system.main.split_part(_ploidy_b, k, 2)) END))
levenshtein_distance(a, b) AS list_transform([row(a, b)], lambda _ploidy_a: CASE WHEN strlen(_ploidy_a[1] || _ploidy_a[2]) = length(_ploidy_a[1] || _ploidy_a[2]) THEN levenshtein(_ploidy_a[1], _ploidy_a[2]) ELSE ${levenshteinOfLetters} END)[1]
hamming_distance(a, b) AS list_transform([row(a, b)], lambda _ploidy_a: CASE WHEN length(_ploidy_a[1]) = length(_ploidy_a[2]) THEN len(list_filter(list_zip(string_split(_ploidy_a[1], ''), string_split(_ploidy_a[2], '')), lambda _ploidy_b: _ploidy_b[1] <> _ploidy_b[2])) WHEN length(_ploidy_a[1]) <> length(_ploidy_a[2]) THEN error('hamming_distance wants two texts of the same length') END)[1]
url_extract_protocol(u) AS nullif(system.main.regexp_extract(u, '^([A-Za-z][A-Za-z0-9+.-]*):', 1), '')
url_extract_host(u) AS nullif(system.main.regexp_extract(u, '^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?(\\[[^\\]]*\\]|[^/?#:]*)', 1), '')
url_extract_port(u) AS try_cast(nullif(system.main.regexp_extract(u, '^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?(?:\\[[^\\]]*\\]|[^/?#:]*):([0-9]+)', 1), '') AS BIGINT)
url_extract_path(u) AS system.main.regexp_extract(u, '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[^/?#]*)?([^?#]*)', 1)
url_extract_query(u) AS system.main.regexp_extract(u, '^[^?#]*\\?([^#]*)', 1)
url_extract_fragment(u) AS system.main.regexp_extract(u, '#(.*)$', 1)
url_extract_parameter(u, n) AS CASE WHEN regexp_matches(u, '[?&]' || regexp_escape(n) || '(=|&|#|$)') THEN system.main.url_decode(system.main.regexp_extract(u, '[?&]' || regexp_escape(n) || '=([^&#]*)', 1)) END
url_encode(s) AS replace(replace(replace(system.main.url_encode(s), '%20', '+'), '%2A', '*'), '~', '%7E')
url_decode(s) AS system.main.url_decode(replace(s, '+', ' '))
trim(s) AS system.main.regexp_replace(s, '^${whitespace}|${whitespace}$', '', 'g')
trim(s, c) AS system.main.trim(s, c)
ltrim(s) AS system.main.regexp_replace(s, '^${whitespace}', '')
ltrim(s, c) AS system.main.ltrim(s, c)
rtrim(s) AS system.main.regexp_replace(s, '${whitespace}$', '')
rtrim(s, c) AS system.main.rtrim(s, c)
to_base(n, r) AS CASE WHEN n < 0 THEN '-' ELSE '' END || lower(system.main.to_base(abs(n), r))
to_base(n, r, m) AS system.main.to_base(n, r, m)
typeof(x) AS lower(system.main.typeof(x))
`;

const numbers = `
greatest(a) AS a
greatest(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE system.main.greatest(a, b) END
greatest(a, b, c) AS CASE WHEN a IS NULL OR b IS NULL OR c IS NULL THEN NULL ELSE system.main.greatest(a, b, c) END
greatest(a, b, c, d) AS CASE WHEN a IS NULL OR b IS NULL OR c IS NULL OR d IS NULL THEN NULL ELSE system.main.greatest(a, b, c, d) END
greatest(a, b, c, d, e) AS CASE WHEN a IS NULL OR b IS NULL OR c IS NULL OR d IS NULL OR e IS NULL THEN NULL ELSE system.main.greatest(a, b, c, d, e) END
least(a) AS a
least(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE system.main.least(a, b) END
least(a, b, c) AS CASE WHEN a IS NULL OR b IS NULL OR c IS NULL THEN NULL ELSE system.main.least(a, b, c) END
least(a, b, c, d) AS CASE WHEN a IS NULL OR b IS NULL OR c IS NULL OR d IS NULL THEN NULL ELSE system.main.least(a, b, c, d) END
least(a, b, c, d, e) AS CASE WHEN a IS NULL OR b IS NULL OR c IS NULL OR d IS NULL OR e IS NULL THEN NULL ELSE system.main.least(a, b, c, d, e) END
bitwise_and(a, b) AS a & b
bitwise_or(a, b) AS a | b
bitwise_xor(a, b) AS xor(a, b)
bitwise_not(a) AS -1 - a
bitwise_left_shift(a, n) AS a << n
bitwise_right_shift(a, n) AS a >> n
bitwise_right_shift_arithmetic(a, n) AS a >> n
width_bucket(x, l) AS CASE WHEN x IS NOT NULL THEN len(list_filter(l, lambda _ploidy_a: _ploidy_a <= x)) END
width_bucket(x, low, high, n) AS CAST(list_transform([floor((x - low) * n / CAST(high - low AS DOUBLE)) + 1], lambda _ploidy_a: CASE WHEN _ploidy_a < 0 THEN 0 WHEN _ploidy_a >= 0 THEN system.main.least(_ploidy_a, n + 1) END)[1] AS BIGINT)
entropy(c) AS CASE WHEN coalesce(sum(c), 0) = 0 THEN 0e0 ELSE system.main.greatest(0e0, log2(sum(c)) - sum(CASE WHEN c = 0 THEN 0e0 ELSE c * log2(c) END) / sum(c)) END
skewness(x) AS system.main.skewness(x) * (count(x) - 2) / sqrt(count(x) * (count(x) - 1e0))
e() AS exp(1)
infinity() AS CAST('infinity' AS DOUBLE)
nan() AS CAST('nan' AS DOUBLE)
`;

const dates = `
date_add(d, i) AS d + i
date_add(u, n, d) AS cast_to_type(d + CAST(n || ' ' || u AS INTERVAL), d)
date_diff(u, a, b) AS date_sub(u, a, b)
from_unixtime(n) AS make_timestamp(CAST(round(CAST(n AS DOUBLE) * 1000000) AS BIGINT))
to_unixtime(t) AS epoch(t)
to_iso8601(t) AS strftime(t, CASE system.main.typeof(t) WHEN 'DATE' THEN '%Y-%m-%d' WHEN 'TIMESTAMP WITH TIME ZONE' THEN '%Y-%m-%dT%H:%M:%S.%gZ' ELSE '%Y-%m-%dT%H:%M:%S.%g' END)
from_iso8601_date(s) AS CAST(s AS DATE)
from_iso8601_timestamp(s) AS CAST(s AS TIMESTAMPTZ)
at_timezone(t, z) AS CAST(t AS TIMESTAMPTZ) AT TIME ZONE z
with_timezone(t, z) AS CAST(t AS TIMESTAMP) AT TIME ZONE z
parse_datetime(s, f) AS CAST(strptime(s, f) AS TIMESTAMPTZ)
parse_datetime_without_year(s, f) AS CAST(strptime(s, f) AS TIMESTAMPTZ) + to_years(70)
date_parse_without_year(s, f) AS strptime(s, f) + to_years(70)
date_parse_short_year(s, f) AS strptime(s, f) + to_years(CASE WHEN year(strptime(s, f)) = 1969 THEN 100 ELSE 0 END)
millisecond(t) AS system.main.millisecond(t) % 1000
`;

/** Sorted, entries of one key follow each other: a map of the engine has each key once. */
const firstOfEachKey = `list_transform([_ploidy_a], lambda _ploidy_b: map_from_entries(CASE WHEN list_unique(list_transform(_ploidy_b, lambda _ploidy_c: _ploidy_c[1])) = len(_ploidy_b) THEN _ploidy_b ELSE list_transform([list_sort(_ploidy_b)], lambda _ploidy_e: list_filter(_ploidy_e, lambda _ploidy_c, _ploidy_d: _ploidy_d = 1 OR _ploidy_e[_ploidy_d - 1][1] <> _ploidy_c[1]))[1] END))[1]`;
const listOfEachKey = `map_from_entries(list_transform(list_distinct(list_transform(_ploidy_a, lambda _ploidy_b: _ploidy_b[1])), lambda _ploidy_c: row(_ploidy_c, list_transform(list_filter(_ploidy_a, lambda _ploidy_d: _ploidy_d[1] = _ploidy_c), lambda _ploidy_d: _ploidy_d[2]))))`;

const lists = `
element_at(x, k) AS x[k]
cardinality(x) AS CASE WHEN x IS NULL THEN NULL WHEN json_type(to_json(x)) = 'ARRAY' THEN system.main.json_array_length(to_json(x)) ELSE len(json_keys(to_json(x))) END
array_join(l, d) AS array_to_string(l, d)
array_join(l, d, n) AS array_to_string(list_transform(l, lambda _ploidy_a: coalesce(CAST(_ploidy_a AS VARCHAR), n)), d)
array_position(l, x) AS CASE WHEN l IS NULL OR x IS NULL THEN NULL ELSE coalesce(list_position(l, x), 0) END
array_sort(l) AS list_sort(l, 'ASC', 'NULLS LAST')
array_remove(l, e) AS CASE WHEN e IS NOT NULL THEN list_filter(l, lambda _ploidy_a: _ploidy_a IS NULL OR _ploidy_a <> e) END
array_distinct(l) AS list_distinct(l) || list_filter(l, lambda _ploidy_a: _ploidy_a IS NULL)[:1]
array_union(a, b) AS array_distinct(a || b)
array_except(a, b) AS CASE WHEN b IS NOT NULL THEN list_filter(array_distinct(a), lambda _ploidy_a: list_position(b, _ploidy_a) IS NULL) END
array_max(l) AS CASE WHEN list_position(l, NULL) IS NULL THEN list_max(l) END
array_min(l) AS CASE WHEN list_position(l, NULL) IS NULL THEN list_min(l) END
repeat(x, n) AS list_resize([x], CASE WHEN n > 10000 THEN error('repeat gives at most 10000 elements') ELSE n END, x)
array_sum(l) AS CASE WHEN l IS NOT NULL THEN coalesce(list_sum(l), 0) END
sequence(a, b) AS generate_series(a, b, CASE WHEN b < a THEN -1 ELSE 1 END)
sequence(a, b, s) AS generate_series(a, b, s)
slice(l, s, n) AS CASE WHEN l IS NULL OR s IS NULL THEN NULL WHEN n < 0 THEN error('slice gives no less than 0 elements') WHEN s > 0 THEN list_slice(l, s, CAST(s AS BIGINT) + n - 1) WHEN -s > len(l) THEN list_slice(l, 1, 0) ELSE list_slice(l, len(l) + s + 1, len(l) + s + n) END
map_agg(k, v) AS list_transform([list(row(k, v)) FILTER (WHERE k IS NOT NULL)], lambda _ploidy_a: ${firstOfEachKey})[1]
multimap_agg(k, v) AS list_transform([list(row(k, v)) FILTER (WHERE k IS NOT NULL)], lambda _ploidy_a: ${listOfEachKey})[1]
approx_most_frequent(n, x, c) AS map_from_entries(list_transform(list_sort(list_transform(map_entries(histogram(x)), lambda _ploidy_a: row(_ploidy_a.value, _ploidy_a.key)), 'DESC')[:n], lambda _ploidy_a: row(_ploidy_a[2], CAST(_ploidy_a[1] AS BIGINT))))
any_match(r) AS list_transform([r], lambda _ploidy_a: CASE WHEN list_contains(_ploidy_a, true) THEN true WHEN _ploidy_a IS NOT NULL AND list_position(_ploidy_a, NULL) IS NULL THEN false END)[1]
all_match(r) AS list_transform([r], lambda _ploidy_a: CASE WHEN list_contains(_ploidy_a, false) THEN false WHEN _ploidy_a IS NOT NULL AND list_position(_ploidy_a, NULL) IS NULL THEN true END)[1]
none_match(r) AS list_transform([r], lambda _ploidy_a: CASE WHEN list_contains(_ploidy_a, true) THEN false WHEN _ploidy_a IS NOT NULL AND list_position(_ploidy_a, NULL) IS NULL THEN true END)[1]
checksum(x) AS unhex(lpad(hex(CAST(sum(hash(x)) % 18446744073709551616 AS UBIGINT)), 16, '0'))
set_agg(x) AS list(DISTINCT x)
`;

const documents = `
json_parse(s) AS CAST(s AS JSON)
json_format(j) AS CAST(json(j) AS VARCHAR)
json_value(j, p) AS CASE WHEN json_type(j, regexp_replace(p, '^(lax|strict) +', '')) IN ('OBJECT', 'ARRAY') THEN NULL ELSE json_extract_string(j, regexp_replace(p, '^(lax|strict) +', '')) END
json_extract_scalar(j, p) AS CASE WHEN json_type(j, p) IN ('OBJECT', 'ARRAY') THEN NULL ELSE json_extract_string(j, p) END
json_query(j, p) AS CAST(json_extract(j, regexp_replace(p, '^(lax|strict) +', '')) AS VARCHAR)
json_array_get(j, i) AS json_extract(j, '$[' || CASE WHEN i < 0 THEN '#' || i ELSE CAST(i AS VARCHAR) END || ']')
json_array_length(j) AS CASE WHEN json_type(j) = 'ARRAY' THEN system.main.json_array_length(j) END
json_array_length(j, p) AS system.main.json_array_length(j, p)
json_array_contains(j, x) AS list_contains(json_extract(j, '$[*]'), to_json(x))
json_size(j, p) AS CASE json_type(j, p) WHEN 'OBJECT' THEN len(json_keys(j, p)) ELSE system.main.json_array_length(j, p) END
is_json_scalar(j) AS json_type(j) NOT IN ('OBJECT', 'ARRAY')
`;

/** `name(a, b) AS body`. */
export const definitions: readonly string[] = [texts, numbers, dates, lists, documents, xxhash64].flatMap(
  (block) => block.trim().split('\n'),
);

const overloads = Map.groupBy(definitions, (line) => line.slice(0, line.indexOf('(')));

/** Names of the macros. */
export const macroNames: ReadonlySet<string> = new Set(overloads.keys());

/** Macros whose body is an aggregate. */
export const aggregateMacros: ReadonlySet<string> = new Set([
  ...['approx_most_frequent', 'checksum', 'entropy', 'map_agg', 'multimap_agg', 'set_agg', 'skewness'],
]);

/** The statements that make a connection speak the dialect. `5 / 2` of whole numbers is 2. */
export const dialect: string = statementsOf(overloads.keys());

/** Part of `dialect` that a statement needs: making all macros takes a fifth of the time of a query of a few rows. */
export function dialectFor(statement: string): string {
  return statementsOf(macrosIn(statement, new Set()));
}

function statementsOf(names: Iterable<string>): string {
  const macros = Array.from(names, (name) => {
    const lines = overloads.get(name) ?? [];
    return `CREATE MACRO ${name}${lines.map((line) => line.slice(name.length)).join(', ')}`;
  });
  return ['SET integer_division = true', ...macros].join(';\n');
}

/** Returns the macros whose name appears anywhere in a statement, in any role, and the macros that these call. */
function macrosIn(text: string, found: Set<string>): Set<string> {
  for (const [word] of text.toLowerCase().matchAll(/\w+/g)) {
    const lines = found.has(word) ? undefined : overloads.get(word);
    if (lines) macrosIn(lines.join(' '), found.add(word));
  }
  return found;
}
