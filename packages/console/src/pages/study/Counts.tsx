import { Card, SimpleGrid, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { count } from '../../api/ask.ts';

const counted = [
  ['patient', 'Subjects'],
  ['sequence', 'Samples'],
  ['variant', 'Variants in samples'],
  ['condition', 'Conditions'],
  ['observation', 'Observations'],
  ['medication', 'Medications'],
] as const;

/** Numbers of subjects and rows. */
export function Counts({ project, tables }: { project: string; tables: string[] }) {
  const shown = counted.filter(([target]) => target === 'patient' || tables.includes(target));
  const counts = useQueries({ queries: shown.map(([target]) => count(project, target)) });
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
      {shown.map(([target, label], at) => (
        <Card key={target} withBorder padding="sm">
          <Text fz={26} fw={700}>
            {counts[at]?.data?.toLocaleString() ?? (counts[at]?.error ? '–' : '…')}
          </Text>
          <Text size="sm">{label}</Text>
        </Card>
      ))}
    </SimpleGrid>
  );
}
