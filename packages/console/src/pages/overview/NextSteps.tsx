import { Anchor, Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { sampleSteps, stepsFor } from './steps.ts';

/** Next steps after the overview; examples, where the address is that of the sample project. */
export function NextSteps({ project, tables }: { project: string; tables: string[] }) {
  const { tour } = useSearch({ strict: false }) as Record<string, string>;
  const steps = tour === 'sample' ? sampleSteps : stepsFor(tables);
  return (
    <Stack component="section" gap="xs" aria-label="Next steps">
      <Title order={2} size="h4">
        {tour === 'sample' ? 'Try these first' : 'Next steps'}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: steps.length }}>
        {steps.map(({ title, text, page, search }) => (
          <Card key={title} withBorder padding="sm">
            <Anchor
              component={Link}
              fw={600}
              to={`/projects/${project}/${page}`}
              {...({ search: search ?? {} } as object)}
            >
              {title}
            </Anchor>
            <Text size="sm" c="var(--soft)">
              {text}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
