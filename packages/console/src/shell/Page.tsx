import { Alert, Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useMay } from '../api/lists.ts';

/** The page that the address opened has the focus of the browser. */
let isFirst = true;

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
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Ploidy`;
  }, [title]);
  useEffect(() => {
    if (isFirst) isFirst = false;
    // Readers of a screen learn of the new page; a field that asks for the focus keeps it.
    else if (!document.activeElement?.matches('input, textarea, [contenteditable="true"]'))
      heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Stack>
      <Group justify="space-between">
        <Title ref={heading} tabIndex={-1} order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{title}</bdi>
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
