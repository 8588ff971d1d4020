export {
  type Correlation,
  correlationTails,
  type Line,
  pearson,
  regression,
  spearman,
} from './correlation.ts';
export { type ChiSquare, chiSquare, type FourCounts, fisherExact, logOddsRatio } from './counts.ts';
export { cox, type Described, type Hazard } from './cox.ts';
export { eventRatio, type LogRank, logRank, type Ratio } from './log-rank.ts';
export {
  type Moments,
  momentsOf,
  type VarianceAnalysis,
  varianceAnalysis,
  type Welch,
  welch,
} from './means.ts';
export { adjusted } from './probabilities.ts';
export {
  kruskalWallis,
  kruskalWallisOf,
  type MannWhitney,
  mannWhitney,
  mannWhitneyOf,
  type RankedGroup,
  type RankTest,
  ranksOf,
} from './ranks.ts';
export { type Proportionality, proportionality } from './schoenfeld.ts';
export {
  atRiskAt,
  type Curve,
  type Followed,
  type IntervalScale,
  kaplanMeier,
  type Step,
  survivalAt,
} from './survival.ts';
