import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { AnchorLink } from '../../shell/links.tsx';
import { sampleSteps, stepsFor } from './steps.ts';

/** Next steps after the overview; examples, where the address is that of the sample project. */
export function NextSteps({ project, tables }: { project: string; tables: string[] }) {
  const { tour } = useSearch({ from: '/projects/$project' });
  const steps = tour === 'sample' ? sampleSteps({ project }) : stepsFor({ project }, tables);
  return (
    <Stack component="section" gap="xs" aria-label="Next steps">
      <Title order={2} size="h4">
        {tour === 'sample' ? 'Try these first' : 'Next steps'}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: steps.length }}>
        {steps.map(({ title, text, link }) => (
          <Card key={title} withBorder padding="sm">
            <AnchorLink fw={600} {...link}>
              {title}
            </AnchorLink>
            <Text size="sm" c="var(--soft)">
              {text}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
