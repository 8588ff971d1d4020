import { Alert, Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useMay } from '../api/lists.ts';

/** A page: its title, also of the window, its actions and its content. */
export function Page({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Ploidy`;
  }, [title]);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        <Group gap="xs">{actions}</Group>
      </Group>
      {children}
    </Stack>
  );
}

/** A note where the caller sees masked values only. */
export function MaskedNote({ project }: { project: string }) {
  const real = useMay('readData', { dataset: project, type: 'table' });
  const masked = useMay('readMaskedData', { dataset: project, type: 'table' });
  if (real !== false || !masked) return null;
  return (
    <Alert
      color="yellow"
      variant="light"
      title="Masked values"
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
    >
      You may see the data of this project only masked: names and identifiers are replaced, dates are shifted.
    </Alert>
  );
}
