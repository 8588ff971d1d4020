import { aggregateMacros } from '../../dialect/macros.ts';

/** Aggregates whose result reveals little of a single row among many: numbers of rows, sums, means and spreads. */
export const summaries: ReadonlySet<string> = new Set(
  `count count_star approx_count_distinct sum fsum kahan_sum sumkahan favg avg mean stddev stddev_pop stddev_samp var_pop
var_samp variance`.split(/\s+/),
);

/** Other allowed aggregates and window functions: they return values of single rows, or may. */
export const revealingAggregates: ReadonlySet<string> = new Set([
  ...aggregateMacros,
  ...`
any_value approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last arg_min arg_min_null
arg_min_nulls_last argmax argmin array_agg bit_and bit_or bit_xor bitstring_agg bool_and bool_or corr count_if countif
covar_pop covar_samp cume_dist dense_rank entropy fill first first_value geomean geometric_mean group_concat histogram
histogram_exact json_group_array json_group_object json_group_structure kurtosis kurtosis_pop lag last last_value lead
list listagg mad max max_by median min min_by mode nth_value ntile percent_rank product quantile quantile_cont
quantile_disc rank rank_dense regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy
regr_syy reservoir_quantile row_number sem skewness string_agg sum_no_overflow wavg weighted_avg
`
    .trim()
    .split(/\s+/),
]);

/** Both kinds of aggregates. */
export const aggregates: ReadonlySet<string> = new Set([...summaries, ...revealingAggregates]);

/** Functions that would disclose single rows in other ways: by an error, lists of rows, or random choice. */
export const revealingFunctions: ReadonlySet<string> = new Set([
  'error',
  'unnest',
  'unlist',
  'generate_subscripts',
  'regexp_split_to_table',
  'random',
  'setseed',
  'uuid',
  'uuidv4',
  'uuidv7',
  'gen_random_uuid',
]);
