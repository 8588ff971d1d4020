import { Button, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { buckets } from '../../api/ask.ts';
import { isOneOf, type Where } from '../../api/where.ts';
import { choiceOf, sorted } from '../../facets/choices.ts';
import type { Leaf } from '../../study/conditions.ts';

const target = 'expression';
/** Genes that are proposed for what is typed. */
const genesMax = 20;

/** Form of a range of the expression of a gene; shows how many subjects have values, and their range. */
export function ExpressionForm({ project, add }: { project: string; add: (leaf: Leaf) => void }) {
  const [gene, setGene] = useState('');
  const [search, setSearch] = useState('');
  const [from, setFrom] = useState<number | string>('');
  const [to, setTo] = useState<number | string>('');
  const typed = useDeferredValue(search.trim());
  const begins = { [target]: { gene_name: [{ operator: 'startsWith', value: typed }] } };
  const distinct = { op: 'countDistinct', field: 'patient_id' };
  const { data = [] } = useQuery(
    buckets(project, {
      target,
      ...(typed !== '' && { where: begins }),
      options: { groupBy: ['gene_name'], metrics: [distinct], limit: genesMax },
    }),
  );
  const found = sorted(data, 'gene_name');
  const { data: summary } = useQuery({
    ...buckets(project, {
      target,
      where: { [target]: { gene_name: isOneOf([gene]) } },
      options: { metrics: [distinct, { op: 'min', field: target }, { op: 'max', field: target }] },
    }),
    enabled: gene !== '',
  });
  const [subjects, min, max] = summary?.[0]?.metrics?.map(({ value }) => value) ?? [];
  const bounds: Where[] = [
    ...(typeof from === 'number' ? [{ operator: 'gte', value: from }] : []),
    ...(typeof to === 'number' ? [{ operator: 'lte', value: to }] : []),
  ];
  const expression = { gene_name: isOneOf([gene]), ...(bounds.length > 0 && { expression: bounds }) };
  return (
    <Stack>
      <Select
        label="Gene"
        placeholder="Begins with"
        searchable
        data={[...new Set([...found.map(({ value }) => value), ...(gene === '' ? [] : [gene])])]}
        filter={({ options }) => options}
        renderOption={({ option }) =>
          choiceOf('', option.value, found.find(({ value }) => value === option.value)?.subjects).label
        }
        nothingFoundMessage="No gene begins with this"
        searchValue={search}
        onSearchChange={setSearch}
        value={gene || null}
        onChange={(value) => setGene(value ?? '')}
      />
      {gene !== '' && typeof subjects === 'number' && (
        <Text size="sm" role="status">
          {subjects.toLocaleString()} {subjects === 1 ? 'subject has a value' : 'subjects have values'}
          {subjects > 0 && `, from ${min} to ${max}`}
        </Text>
      )}
      <Group grow>
        <NumberInput label="From" value={from} onChange={setFrom} />
        <NumberInput label="To" value={to} onChange={setTo} />
      </Group>
      <Button disabled={gene === ''} onClick={() => add({ where: { expression } })}>
        Add
      </Button>
    </Stack>
  );
}
