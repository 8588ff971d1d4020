import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Shape } from '../../../api/lists.ts';
import { Empty, ErrorAlert, Waiting } from '../../../shell/Feedback.tsx';
import { answerOf, type StudyBody } from '../../../study/study.ts';
import type { Column } from '../../../table/column.ts';
import { Grid } from '../../../table/Grid.tsx';
import type { TestedPair } from './tests.ts';

interface Props {
  common: Omit<StudyBody, 'aggregates'>;
  /** Genes and alterations that count. */
  counting: Omit<Extract<Shape<'StudyAggregate'>, { kind: 'pairs' }>, 'id' | 'kind'>;
  noun: string;
}

/** Genes whose pairs are counted. */
const genesMax = 60;

/** Rounds to three digits, as tests are reported; powers of ten stay readable. */
const rounded = (value: number | null): number | null =>
  value === null ? null : Number(value.toPrecision(3));

const columns: Column<TestedPair>[] = [
  { name: 'first_gene', value: ({ first }) => first },
  { name: 'second_gene', value: ({ second }) => second },
  { name: 'altered', value: tendencyOf },
  { name: 'log2_odds_ratio', value: ({ log2OddsRatio }) => rounded(log2OddsRatio), numeric: true },
  { name: 'p', value: ({ pValue }) => rounded(pValue), numeric: true },
  { name: 'q', value: ({ qValue }) => rounded(qValue), numeric: true },
  { name: 'both', value: ({ both }) => both, numeric: true },
  { name: 'first_only', value: ({ firstOnly }) => firstOnly, numeric: true },
  { name: 'second_only', value: ({ secondOnly }) => secondOnly, numeric: true },
  { name: 'neither', value: ({ neither }) => neither, numeric: true },
  { name: 'left_out', value: ({ leftOut }) => leftOut, numeric: true },
];

/** Level of q below which a tendency is named. */
const level = 0.05;

function tendencyOf({ qValue, log2OddsRatio }: TestedPair): string {
  if (qValue === null || log2OddsRatio === null) return 'not tested';
  if (qValue >= level) return 'no tendency shown';
  return log2OddsRatio > 0 ? 'together' : 'exclusive';
}

/** Pairs of genes that are altered together, or exclude each other, with a test of each. */
export function Pairs({ common, counting, noun }: Props) {
  const genes = counting.genes.slice(0, genesMax);
  const query = useQuery(
    answerOf({ ...common, aggregates: [{ id: 'pairs', kind: 'pairs', ...counting, genes }] }),
  );
  const { pairs, error } = query.data?.results['pairs'] ?? {};
  const areRounded = query.data?.roundedTo !== undefined;
  const tested = useTested(pairs?.items, areRounded);
  return (
    <section aria-label="Pairs of genes">
      <Title order={2} size="h4" mt="md" mb={4}>
        Altered together, or not
      </Title>
      {query.error && <ErrorAlert error={query.error} again={() => void query.refetch()} />}
      {error && <Empty title="Pairs are not counted">{error.message}</Empty>}
      {!error &&
        !query.error &&
        (tested ? (
          <Grid name="Pairs of genes" columns={columns} rows={tested} heightMax={420} />
        ) : (
          <Waiting />
        ))}
      <Text size="sm" mt={4}>
        Counts are of the {noun} that are profiled for both genes; <b>left out</b> are the others. p: Fisher's
        exact test, two-sided. q: corrected for the number of pairs (Benjamini and Hochberg). The odds ratio
        has 0.5 added to each count.{' '}
        {counting.genes.length > genesMax && `Only the first ${genesMax} genes by name are paired. `}
        {areRounded && 'Small counts are hidden and others are rounded, so nothing is tested.'}
      </Text>
    </section>
  );
}

/** Returns the pairs with their tests, computed beside the page, the smallest p first. */
function useTested(
  pairs: Shape<'StudyPairs'>['items'] | undefined,
  areRounded: boolean,
): TestedPair[] | undefined {
  const [tested, setTested] = useState<TestedPair[]>();
  useEffect(() => {
    if (!pairs) return undefined;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<TestedPair[]>) => setTested(data));
    worker.postMessage({ pairs, areRounded });
    return () => worker.terminate();
  }, [pairs, areRounded]);
  return tested;
}
