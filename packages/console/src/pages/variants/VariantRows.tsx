import { useQuery } from '@tanstack/react-query';
import { type Row, rows } from '../../api/ask.ts';
import type { Where } from '../../api/where.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { readsColumn } from '../../table/reads.tsx';

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
          <AnchorLink
            size="sm"
            to="/projects/$project/subjects/$patient"
            params={{ project, patient: String(id) }}
          >
            {String(id)}
          </AnchorLink>
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
