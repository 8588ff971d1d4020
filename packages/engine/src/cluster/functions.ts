const words = (text: string): string[] => text.trim().split(/\s+/);

/** Names of functions and operators in the syntax tree under which the table of signatures has them. */
export const renamedFunctions: ReadonlyMap<string, string> = new Map([
  ['~~', 'LIKE'],
  ['!~~', 'NOT LIKE'],
  ['string_agg', 'listagg'],
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
export const aggregateFunctions: ReadonlySet<string> = new Set(
  words(`
    any_value approx_distinct arbitrary array_agg list avg mean bitwise_and_agg bitwise_or_agg bitwise_xor_agg bool_and bool_or corr
    count count_star count_if covar_pop covar_samp every geometric_mean max max_by min min_by arg_max arg_min regr_intercept
    regr_slope stddev stddev_pop stddev_samp sum var_pop var_samp variance string_agg listagg
  `),
);

/** Functions of any number of values, of which they give one. */
export const variadicFunctions: ReadonlySet<string> = new Set(['greatest', 'least']);

/** Functions of which some arguments are constants, and parts of their signatures; places from 0. */
export const literalPlaces: ReadonlyMap<string, readonly number[]> = new Map([
  ['date_trunc', [0]],
  ['date_diff', [0]],
  ['date_add', [0]],
  ['date_part', [0]],
  ['date_format', [1]],
  ['round', [1]],
]);

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
