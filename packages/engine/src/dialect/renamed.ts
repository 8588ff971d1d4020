/**
 * Functions of Presto's dialect with another name in the engine, and the same arguments and results (cases.md lists
 * exceptions). The guard writes the engine's name into the tree: they also work with DISTINCT, FILTER, ORDER BY and OVER. A
 * percentile is the exact one: of decimals the engine's approximation is a whole number (DuckDB 1.5).
 */
export const renamed: ReadonlyMap<string, string> = new Map(
  `
approx_percentile quantile_disc
every bool_and
arbitrary any_value
bitwise_and_agg bit_and
bitwise_or_agg bit_or
bitwise_xor_agg bit_xor
geometric_mean geomean
regexp_like regexp_matches
codepoint unicode
from_utf8 decode
to_utf8 encode
truncate trunc
rand random
is_nan isnan
is_finite isfinite
is_infinite isinf
day_of_month day
day_of_week isodow
dow isodow
day_of_year dayofyear
doy dayofyear
week_of_year week
year_of_week isoyear
yow isoyear
last_day_of_month last_day
array_average list_avg
arrays_overlap list_has_any
transform list_transform
`
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]),
);

/** Functions that the engine has under one name for any number of arguments. With two arguments, Presto's meaning has another name. */
export const renamedOfTwo: ReadonlyMap<string, string> = new Map([
  // The value beside the extreme, also when it is NULL; the engine's own pass over such rows.
  ['max_by', 'arg_max_null'],
  ['min_by', 'arg_min_null'],
]);
