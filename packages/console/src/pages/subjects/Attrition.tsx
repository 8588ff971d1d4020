import { Table, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { count } from '../../api/ask.ts';
import { type Facet, type Filter, inWords, whereOf } from '../../facets/facets.ts';

/** Number of subjects that each choice leaves, in order. */
export function Attrition({
  project,
  facets,
  cohort,
  filter,
}: {
  project: string;
  facets: readonly Facet[];
  cohort: string | undefined;
  filter: Filter;
}) {
  const entries = Object.entries(filter);
  const steps = [
    { label: 'All subjects', filter: {} },
    ...entries.map(([id, values], at) => ({
      label: inWords(id, values, facets),
      filter: Object.fromEntries(entries.slice(0, at + 1)),
    })),
  ];
  const counts = useQueries({
    queries: steps.map((step) => count(project, 'patient', whereOf(step.filter, facets), cohort)),
  });
  const first = counts[0]?.data ?? 0;
  return (
    <Table mb="md" withTableBorder verticalSpacing={4} aria-label="Subjects left by each step">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Step</Table.Th>
          <Table.Th ta="right">Subjects left</Table.Th>
          <Table.Th ta="right">Of all</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {steps.map(({ label }, at) => (
          <Table.Tr key={label}>
            <Table.Td>
              <Text size="sm">{label}</Text>
            </Table.Td>
            <Table.Td ta="right">{counts[at]?.data?.toLocaleString() ?? '…'}</Table.Td>
            <Table.Td ta="right">
              {first > 0 ? `${Math.round(((counts[at]?.data ?? 0) / first) * 100)} %` : ''}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
