/**
 * Functions of Presto's dialect as macros of the engine: those that it lacks, and those that it has under the same name
 * with another meaning (`concat` that skips NULL, `regexp_replace` that replaces once). `system.main.f` is the engine's own.
 * What each does is told and tested in docs/dialect.md. SQL of ours must not call a name that is redefined here.
 *
 * None has typed parameters: of an argument that holds an aggregate the engine does not know the type when it picks the overload, and
 * takes a wrong one (DuckDB 1.5). `typeof` in the body knows it, and `cast_to_type` gives the type of an argument.
 */
/** The engine wants options as constants, which an argument of a macro is not; in the pattern they mean the same. */
const withOptions = `CASE WHEN length(translate(o, 'gc', '')) > 0 THEN '(?' || translate(o, 'gc', '') || ')' || p ELSE p END`;

/**
 * What Presto takes off the ends of a text; the engine alone takes no tabs and ends of lines. The engine's own trim with so many
 * characters to take off is far slower than this.
 */
const whitespace = String.raw`[\t-\r\x1c-\x20\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}]+`;

/** `$1` is a group and `\$` a dollar; the engine's groups are `\1`. */
const replacement = `replace(system.main.regexp_replace(replace(r, '\\$', chr(1)), '\\$([0-9])', '\\\\\\1', 'g'), chr(1), '$')`;

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
split_to_map(s, e, k) AS map_from_entries(list_transform(string_split(s, e), lambda x: row(system.main.split_part(x, k, 1), system.main.split_part(x, k, 2))))
url_extract_protocol(u) AS nullif(system.main.regexp_extract(u, '^([A-Za-z][A-Za-z0-9+.-]*):', 1), '')
url_extract_host(u) AS nullif(system.main.regexp_extract(u, '^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?(\\[[^\\]]*\\]|[^/?#:]*)', 1), '')
url_extract_port(u) AS try_cast(nullif(system.main.regexp_extract(u, '^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?(?:\\[[^\\]]*\\]|[^/?#:]*):([0-9]+)', 1), '') AS BIGINT)
url_extract_path(u) AS system.main.regexp_extract(u, '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[^/?#]*)?([^?#]*)', 1)
url_extract_query(u) AS system.main.regexp_extract(u, '^[^?#]*\\?([^#]*)', 1)
url_extract_fragment(u) AS system.main.regexp_extract(u, '#(.*)$', 1)
url_extract_parameter(u, n) AS CASE WHEN regexp_matches(u, '[?&]' || regexp_escape(n) || '(=|&|#|$)') THEN system.main.url_decode(system.main.regexp_extract(u, '[?&]' || regexp_escape(n) || '=([^&#]*)', 1)) END
url_encode(s) AS replace(replace(replace(system.main.url_encode(s), '%20', '+'), '%2A', '*'), '~', '%7E')
url_decode(s) AS system.main.url_decode(replace(s, '+', ' '))
substr(s, a) AS CASE WHEN s IS NOT NULL AND (a = 0 OR (a < 0 AND -a > length(s))) THEN '' ELSE system.main.substr(s, a) END
substr(s, a, n) AS CASE WHEN s IS NOT NULL AND (a = 0 OR n <= 0 OR (a < 0 AND -a > length(s))) THEN '' ELSE system.main.substr(s, a, n) END
substring(s, a) AS CASE WHEN s IS NOT NULL AND (a = 0 OR (a < 0 AND -a > length(s))) THEN '' ELSE system.main.substr(s, a) END
substring(s, a, n) AS CASE WHEN s IS NOT NULL AND (a = 0 OR n <= 0 OR (a < 0 AND -a > length(s))) THEN '' ELSE system.main.substr(s, a, n) END
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

/** Presto's shifts lose what leaves the bits of a number's type; the engine refuses it, and keeps the sign to the right. */
const bits = `CASE system.main.typeof(a) WHEN 'TINYINT' THEN 8 WHEN 'SMALLINT' THEN 16 WHEN 'INTEGER' THEN 32 ELSE 64 END`;
const modulus = `(CAST(1 AS HUGEINT) << (${bits}))`;
const half = `(CAST(1 AS HUGEINT) << (${bits} - 1))`;

const shifts = `
bitwise_left_shift(a, n) AS cast_to_type(CASE WHEN n >= ${bits} THEN 0 ELSE ((CAST(a AS HUGEINT) * (CAST(1 AS HUGEINT) << n) + ${half}) % ${modulus} + ${modulus}) % ${modulus} - ${half} END, a)
bitwise_right_shift(a, n) AS cast_to_type(CASE WHEN n = 0 THEN a WHEN n >= ${bits} THEN 0 ELSE (CAST(a AS HUGEINT) + ${modulus}) % ${modulus} >> n END, a)
bitwise_right_shift_arithmetic(a, n) AS cast_to_type(CAST(a AS HUGEINT) >> CASE WHEN n >= ${bits} THEN ${bits} - 1 ELSE n END, a)
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
width_bucket(x, l) AS len(list_filter(l, lambda y: y <= x))
width_bucket(x, low, high, n) AS CAST(CASE WHEN low > high THEN CASE WHEN x < high THEN n + 1 WHEN x >= low THEN 0 ELSE n - floor((x - high) * n / CAST(low - high AS DOUBLE)) END WHEN x < low THEN 0 WHEN x >= high THEN n + 1 ELSE floor((x - low) * n / CAST(high - low AS DOUBLE)) + 1 END AS BIGINT)
entropy(c) AS CASE WHEN coalesce(sum(c), 0) = 0 THEN 0e0 ELSE system.main.greatest(0e0, log2(sum(c)) - sum(CASE WHEN c = 0 THEN 0e0 ELSE c * log2(c) END) / sum(c)) END
skewness(x) AS system.main.skewness(x) * (count(x) - 2) / sqrt(count(x) * (count(x) - 1e0))
e() AS exp(1)
infinity() AS CAST('infinity' AS DOUBLE)
nan() AS CAST('nan' AS DOUBLE)
`;

const dates = `
date_add(d, i) AS d + i
date_add(u, n, d) AS cast_to_type(d + CAST(n || ' ' || CASE WHEN system.main.typeof(d) = 'DATE' AND lower(u) IN ('hour', 'minute', 'second', 'millisecond') THEN u || ', which a DATE does not have' ELSE u END AS INTERVAL), d)
date_trunc(u, d) AS cast_to_type(system.main.date_trunc(u, d), d)
date_diff(u, a, b) AS date_sub(u, a, b)
from_unixtime(n) AS make_timestamp(CAST(round(CAST(n AS DOUBLE) * 1000000) AS BIGINT))
to_unixtime(t) AS epoch(t)
to_iso8601(t) AS CASE system.main.typeof(t) WHEN 'DATE' THEN CAST(t AS VARCHAR) WHEN 'TIMESTAMP WITH TIME ZONE' THEN strftime(t, '%Y-%m-%dT%H:%M:%S.%gZ') ELSE strftime(t, '%Y-%m-%dT%H:%M:%S.%g') END
from_iso8601_date(s) AS CAST(s AS DATE)
from_iso8601_timestamp(s) AS CAST(s AS TIMESTAMPTZ)
at_timezone(t, z) AS CAST(t AS TIMESTAMPTZ) AT TIME ZONE z
with_timezone(t, z) AS CAST(t AS TIMESTAMP) AT TIME ZONE z
millisecond(t) AS system.main.millisecond(t) % 1000
`;

const lists = `
element_at(x, k) AS x[k]
cardinality(x) AS CASE WHEN x IS NULL THEN NULL WHEN json_type(to_json(x)) = 'ARRAY' THEN json_array_length(to_json(x)) ELSE len(json_keys(to_json(x))) END
array_join(l, d) AS array_to_string(l, d)
array_join(l, d, n) AS array_to_string(list_transform(l, lambda x: coalesce(CAST(x AS VARCHAR), n)), d)
array_position(l, x) AS CASE WHEN l IS NULL OR x IS NULL THEN NULL ELSE coalesce(list_position(l, x), 0) END
array_sort(l) AS list_sort(l, 'ASC', 'NULLS LAST')
array_remove(l, e) AS CASE WHEN e IS NOT NULL THEN list_filter(l, lambda x: x IS NULL OR x <> e) END
array_distinct(l) AS CASE WHEN list_count(l) < len(l) THEN list_append(list_distinct(l), NULL) ELSE list_distinct(l) END
array_union(a, b) AS array_distinct(a || b)
array_except(a, b) AS CASE WHEN b IS NOT NULL THEN list_filter(array_distinct(a), lambda x: CASE WHEN x IS NULL THEN list_count(b) = len(b) ELSE NOT list_contains(b, x) END) END
array_intersect(a, b) AS CASE WHEN list_count(a) < len(a) AND list_count(b) < len(b) THEN list_append(list_intersect(a, b), NULL) ELSE list_intersect(a, b) END
arrays_overlap(a, b) AS CASE WHEN list_has_any(a, b) THEN true WHEN len(a) > 0 AND len(b) > 0 AND (list_count(a) < len(a) OR list_count(b) < len(b)) THEN NULL ELSE list_has_any(a, b) END
array_max(l) AS CASE WHEN list_count(l) = len(l) THEN list_max(l) END
array_min(l) AS CASE WHEN list_count(l) = len(l) THEN list_min(l) END
contains(l, x) AS CASE WHEN system.main.contains(l, x) THEN true WHEN system.main.typeof(l) LIKE '%]' AND list_count(try_cast(l AS VARCHAR[])) < len(try_cast(l AS VARCHAR[])) THEN NULL WHEN l IS NOT NULL AND x IS NOT NULL THEN false END
repeat(x, n) AS list_transform(range(n), lambda i: x)
array_sum(l) AS CASE WHEN l IS NOT NULL THEN coalesce(list_sum(l), 0) END
sequence(a, b) AS list_transform(generate_series(0, b - a, CASE WHEN b < a THEN -1 ELSE 1 END), lambda i: a + CAST(i AS INTEGER))
sequence(a, b, s) AS list_filter(list_transform(generate_series(a, b, s), lambda t, i: cast_to_type(a + s * (i - 1), a)), lambda t: t BETWEEN least(a, b) AND greatest(a, b))
slice(l, s, n) AS CASE WHEN s > 0 THEN list_slice(l, s, s + n - 1) ELSE list_slice(l, len(l) + s + 1, len(l) + s + n) END
map_agg(k, v) AS map(list(k) FILTER (WHERE k IS NOT NULL), list(v) FILTER (WHERE k IS NOT NULL))
set_agg(x) AS list(DISTINCT x)
`;

const documents = `
json_parse(s) AS CAST(s AS JSON)
json_format(j) AS CAST(json(j) AS VARCHAR)
json_value(j, p) AS CASE WHEN json_type(j, regexp_replace(p, '^(lax|strict) +', '')) IN ('OBJECT', 'ARRAY') THEN NULL ELSE json_extract_string(j, regexp_replace(p, '^(lax|strict) +', '')) END
json_extract_scalar(j, p) AS CASE WHEN json_type(j, p) IN ('OBJECT', 'ARRAY') THEN NULL ELSE json_extract_string(j, p) END
json_array_get(j, i) AS json_extract(j, '$[' || CASE WHEN i < 0 THEN '#' || i ELSE CAST(i AS VARCHAR) END || ']')
json_array_contains(j, x) AS list_contains(list_transform(list_filter(json_extract(j, '$[*]'), lambda e: (json_type(e) = 'VARCHAR') = (system.main.typeof(x) = 'VARCHAR')), lambda e: json_extract_string(e, '$')), CAST(x AS VARCHAR))
json_size(j, p) AS CASE json_type(j, p) WHEN 'ARRAY' THEN json_array_length(j, p) WHEN 'OBJECT' THEN len(json_keys(j, p)) ELSE CASE WHEN json_type(j, p) IS NOT NULL THEN 0 END END
is_json_scalar(j) AS json_type(j) NOT IN ('OBJECT', 'ARRAY')
`;

const definitions = [texts, shifts, numbers, dates, lists, documents].flatMap((block) =>
  block.trim().split('\n'),
);

const overloads = Map.groupBy(definitions, (line) => line.slice(0, line.indexOf('(')));

/** Names of the macros. */
export const macroNames: ReadonlySet<string> = new Set(overloads.keys());

/** Those whose body is an aggregate. */
export const aggregateMacros: ReadonlySet<string> = new Set(['entropy', 'map_agg', 'set_agg', 'skewness']);

/** The statements that make a connection speak the dialect. `5 / 2` of whole numbers is 2. */
export const dialect: string = [
  'SET integer_division = true',
  ...[...overloads].map(
    ([name, lines]) => `CREATE MACRO ${name}${lines.map((line) => line.slice(name.length)).join(', ')}`,
  ),
].join(';\n');
