import { Card, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { Row } from '../../api/ask.ts';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { alterationsIn, type SharedGene, sharedGenes } from './alterations-in.ts';
import { rowsAbout } from './questions.ts';

/** Genes that several of the compared patients have altered, those of known alterations first. */
export function Shared({ project, patients }: { project: string; patients: readonly string[] }) {
  const { found, isPending } = useQueries({
    queries: patients.map((patient) => ({ ...rowsAbout(project, patient, 'alteration'), retry: false })),
    combine: (queries) => ({
      found: queries.map(({ data }): Row[] => data ?? []),
      isPending: queries.some((one) => one.isPending),
    }),
  });
  if (isPending) return null;
  const lines = sharedGenes(
    new Map(patients.map((patient, at) => [patient, alterationsIn(found[at] ?? [])])),
  );
  const columns: Column<SharedGene>[] = [
    { name: 'gene', value: ({ gene }) => gene },
    ...patients.map((patient) => ({
      name: patient,
      value: ({ words }: SharedGene) => words.get(patient) ?? '',
    })),
    { name: 'judgement', value: (line) => (line.isKnown ? 'driver or pathogenic' : '') },
  ];
  return (
    <Card withBorder padding="sm" component="section" aria-label="Genes altered in several">
      <Title order={2} size="h4" mb="xs">
        {lines.length === 0 ? 'No gene is altered in several of these subjects' : 'Genes altered in several'}
      </Title>
      {lines.length > 0 && (
        <Grid name="Genes altered in several" columns={columns} rows={lines} heightMax={240} />
      )}
    </Card>
  );
}
