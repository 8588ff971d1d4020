const words = (text: string): string[] => text.trim().split(/\s+/);

/**
 * Functions with the same name, arguments and results on both engines: Presto's, as the dialect defines them.
 * Others differ in something (engine/src/dialect/cases.md), and their statements stay on the local engine.
 */
export const sameFunctions: ReadonlySet<string> = new Set(
  words(`
    abs acos asin atan atan2 cbrt ceil ceiling cos cosh degrees exp floor ln log10 log2 mod pi pow power radians round sign sin sinh
    sqrt tan tanh truncate width_bucket
    chr codepoint concat hamming_distance levenshtein_distance length lower lpad ltrim regexp_count regexp_extract
    regexp_extract_all regexp_like regexp_replace regexp_split replace reverse rpad rtrim split split_part starts_with strpos
    substr substring translate trim upper
    date date_add date_diff date_format date_trunc day day_of_month day_of_week day_of_year dow doy hour last_day_of_month minute month
    quarter second week week_of_year year year_of_week yow
    all_match any_match none_match array_distinct array_except array_intersect array_join array_max array_min array_position
    array_remove array_sort array_union arrays_overlap cardinality contains element_at filter flatten sequence slice transform
    json_array_length json_extract json_extract_scalar json_size
    bitwise_and bitwise_or bitwise_xor is_finite is_infinite is_nan nullif coalesce greatest least
    any_value arbitrary array_agg avg bitwise_and_agg bitwise_or_agg bitwise_xor_agg bool_and bool_or corr count count_if
    covar_pop covar_samp every geometric_mean max max_by min min_by regr_intercept regr_slope stddev stddev_pop stddev_samp sum
    var_pop var_samp variance
    row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
  `),
);

/** Functions of the local engine with another name on Trino. */
export const renamedFunctions: ReadonlyMap<string, string> = new Map([
  ['list', 'array_agg'],
  ['ucase', 'upper'],
  ['lcase', 'lower'],
  ['mean', 'avg'],
  ['isodow', 'day_of_week'],
  ['dayofyear', 'day_of_year'],
  ['isnan', 'is_nan'],
  ['isfinite', 'is_finite'],
  ['isinf', 'is_infinite'],
  ['trunc', 'truncate'],
]);

/** Aggregate functions, which GROUP BY ALL leaves out. */
export const aggregateFunctions: ReadonlySet<string> = new Set([
  ...words(`
    any_value approx_distinct arbitrary array_agg list avg mean bitwise_and_agg bitwise_or_agg bitwise_xor_agg bool_and bool_or corr
    count count_star count_if covar_pop covar_samp every geometric_mean max max_by min min_by arg_max arg_min regr_intercept
    regr_slope stddev stddev_pop stddev_samp sum var_pop var_samp variance string_agg listagg
  `),
]);

/** Operators with the same meaning. Division is Presto's in the dialect. */
export const sameOperators: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '||']);

/** Comparisons by their name in the syntax tree. */
export const comparisons: ReadonlyMap<string, string> = new Map([
  ['COMPARE_EQUAL', '='],
  ['COMPARE_NOTEQUAL', '<>'],
  ['COMPARE_LESSTHAN', '<'],
  ['COMPARE_GREATERTHAN', '>'],
  ['COMPARE_LESSTHANOREQUALTO', '<='],
  ['COMPARE_GREATERTHANOREQUALTO', '>='],
  ['COMPARE_DISTINCT_FROM', 'IS DISTINCT FROM'],
  ['COMPARE_NOT_DISTINCT_FROM', 'IS NOT DISTINCT FROM'],
]);

/** Fields that EXTRACT has on both engines. */
export const datedFields: ReadonlySet<string> = new Set(
  words('year quarter month week day hour minute second dow doy day_of_week day_of_year'),
);
