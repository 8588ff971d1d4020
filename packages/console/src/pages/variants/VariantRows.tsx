import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Row, rows, type Where } from '../../api/ask.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

const fields = [
  'gene',
  'amino_acid_change',
  'ebcanon_class',
  'clinical_significance',
  'population_allele_frequency',
  'genotype',
  'chromosome',
  'position',
  'reference',
  'alternate',
  'rs_id',
  'sample_id',
];

/** Variants one by one, with the subject who carries each. */
export function VariantRows({ project, where }: { project: string; where: Where | undefined }) {
  const query = useQuery(rows(project, { target: 'variant', where, options: { fields } }));
  return (
    <Loaded query={query}>
      {(list) =>
        list.length === 0 ? (
          <Empty title="No variant">Remove a condition, or ingest a VCF or MAF file first.</Empty>
        ) : (
          <Grid name="Variants" columns={columnsOf(project)} rows={list} />
        )
      }
    </Loaded>
  );
}

function columnsOf(project: string): Column<Row>[] {
  return [
    {
      name: 'subject',
      value: (row) => row['patient_id'],
      render: ({ patient_id: id }) =>
        id != null && (
          <Anchor
            component={Link}
            size="sm"
            to={`/projects/${project}/subjects/${encodeURIComponent(String(id))}`}
          >
            {String(id)}
          </Anchor>
        ),
    },
    ...fields.map((name) => ({
      name,
      value: (row: Row) => row[name],
      numeric: /frequency|position/.test(name),
    })),
    readsColumn(project),
  ];
}

/** The way from a variant to the reads around it. */
export const readsColumn = (project: string): Column<Row> => ({
  name: 'reads',
  isAction: true,
  width: 90,
  value: () => '',
  render: (row) => (
    <Anchor
      component={Link}
      size="sm"
      to={`/projects/${project}/genome`}
      {...({ search: { locus: locusOf(row), sample: String(row['sample_id'] ?? '') } } as object)}
    >
      Show
    </Anchor>
  ),
});

/** The surroundings of a variant: 50 bases on both sides. */
function locusOf(row: Row): string {
  const at = Number(row['position']);
  return `${row['chromosome']}:${Math.max(1, at - 50)}-${at + 50}`;
}
