import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { both, buckets, isOneOf } from '../../api/ask.ts';
import { choiceOf, sorted, type Under } from '../../facets/choices.ts';
import { RangeInputs } from './RangeInputs.tsx';

/** Genes that are proposed for what is typed. */
const genesMax = 20;

interface Props extends Under {
  /** The two ends, and the gene. */
  values: string[];
  change: (values: string[]) => void;
}

/** A gene, and the range of its expression; shows whose values there are, and their range. */
export function ExpressionInputs({ project, cohort, facet, where, values, change }: Props) {
  const { target, field, geneField = '' } = facet;
  const [from = '', to = '', gene = ''] = values;
  const [search, setSearch] = useState(gene);
  const typed = useDeferredValue(search.trim());
  const begins = typed !== '' && { [target]: { [geneField]: [{ operator: 'startsWith', value: typed }] } };
  const genes = useQuery(
    buckets(project, {
      target,
      ...(begins && { where: begins }),
      cohortId: cohort,
      options: {
        groupBy: [geneField],
        metrics: [{ op: 'countDistinct', field: 'patient_id' }],
        limit: genesMax,
      },
    }),
  );
  const found = sorted(genes.data ?? [], geneField);
  const subjectsOf = (name: string) => found.find(({ value }) => value === name)?.subjects;
  const { data: summary } = useQuery({
    ...buckets(project, {
      target,
      where: both(where, { [target]: { [geneField]: isOneOf([gene]) } }),
      cohortId: cohort,
      options: {
        metrics: [
          { op: 'countDistinct', field: 'patient_id' },
          { op: 'min', field },
          { op: 'max', field },
        ],
      },
    }),
    enabled: gene !== '',
  });
  const [subjects, min, max] = summary?.[0]?.metrics?.map(({ value }) => value) ?? [];
  if (genes.data?.length === 0 && gene === '') return <Text size="sm">No data</Text>;
  return (
    <Stack gap={8}>
      <Select
        label="Gene"
        placeholder="Begins with"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Remove the gene' }}
        data={[...new Set([...found.map(({ value }) => value), ...(gene === '' ? [] : [gene])])]}
        filter={({ options }) => options}
        renderOption={({ option }) => choiceOf('', option.value, subjectsOf(option.value)).label}
        nothingFoundMessage="No gene begins with this"
        searchValue={search}
        onSearchChange={setSearch}
        value={gene || null}
        onChange={(value) => change([from, to, value ?? ''])}
      />
      {gene !== '' && typeof subjects === 'number' && (
        <Text size="xs" c="var(--soft)" role="status">
          {subjects.toLocaleString()} {subjects === 1 ? 'subject has a value' : 'subjects have values'}
          {subjects > 0 && `, from ${min} to ${max}`}
        </Text>
      )}
      <RangeInputs facet={facet} values={values} change={change} />
    </Stack>
  );
}
