import { Stack, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Row, rows } from '../../api/ask.ts';
import { schema, useMay } from '../../api/lists.ts';
import { Empty, ErrorAlert, Loaded, Waiting } from '../../shell/Feedback.tsx';
import { attributesOf } from '../../study/study.ts';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { readsColumn } from '../../table/reads.tsx';
import { Alterations } from './Alterations.tsx';
import { alterationsIn } from './alterations-in.ts';
import { Curves } from './Curves.tsx';
import { Fractions } from './Fractions.tsx';
import { GenomeOverview } from './GenomeOverview.tsx';
import { historyOf } from './lanes.ts';
import { about, rowsAbout, shownTables } from './questions.ts';
import { Summary } from './Summary.tsx';
import { SwimLanes } from './SwimLanes.tsx';
import { samplesIn } from './samples.ts';

const tables: readonly [target: string, title: string, fields: string[]][] = [
  [
    'condition',
    'Conditions',
    ['display', 'clinical_status', 'verification_status', 'onset_date', 'abatement_date', 'stage', 'code'],
  ],
  ['medication', 'Medications', ['display', 'status', 'start_date', 'end_date', 'authored_date', 'code']],
  ['procedure', 'Procedures', ['display', 'status', 'performed_date', 'performed_end_date', 'code']],
  ['encounter', 'Encounters', ['class_display', 'type_display', 'start_date', 'end_date', 'status']],
  [
    'allergy',
    'Allergies',
    ['display', 'criticality', 'clinical_status', 'verification_status', 'onset_date'],
  ],
  [
    'family_history',
    'Family history',
    ['relationship', 'display', 'onset_age', 'outcome', 'contributed_to_death', 'code'],
  ],
  ['immunization', 'Immunizations', ['display', 'status', 'occurrence_date']],
  ['media', 'Documents and media', ['title', 'type', 'content_type', 'created_date', 'file_id']],
  [
    'variant',
    'Variants',
    [
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
    ],
  ],
  [
    'copynumber',
    'Copy numbers',
    ['gene', 'copy_number', 'status', 'chromosome', 'start_position', 'end_position'],
  ],
  ['fusion', 'Fusions', ['gene1', 'gene2', 'effect', 'in_frame', 'interpretation']],
  ['expression', 'Expression', ['gene_name', 'expression', 'expression_unit', 'sample_id']],
];

interface Props {
  project: string;
  patient: string;
  isAlone: boolean;
}

/** Data of one patient in a project: a summary, the history, alterations by sample, and all tables folded. */
export function SubjectView({ project, patient, isAlone }: Props) {
  const query = useQuery(schema(project));
  return (
    <Loaded query={query}>
      {(known) => <Content {...{ project, patient, isAlone }} known={known.map(({ table }) => table)} />}
    </Loaded>
  );
}

function Content({ project, patient, isAlone, known }: Props & { known: readonly string[] }) {
  const has = (name: string): boolean => known.includes(name === 'expression' ? 'gene' : name);
  const asked = shownTables.filter((table) => table === 'patient' || has(table));
  const { found, error, isPending } = useQueries({
    queries: asked.map((target) => ({
      ...rowsAbout(project, patient, target),
      retry: false,
    })),
    combine: (queries) => ({
      found: Object.fromEntries(asked.map((table, at): [string, Row[]] => [table, queries[at]?.data ?? []])),
      error: queries.find((one) => one.error)?.error ?? null,
      isPending: queries.some((one) => one.isPending),
    }),
  });
  const { data: attributes } = useQuery(attributesOf(project));
  const nameOf = useMemo(() => {
    const names = new Map(attributes?.map(({ id, name }) => [id, name]));
    return (id: string): string => names.get(id) ?? id;
  }, [attributes]);
  const alterations = useMemo(() => alterationsIn(found['alteration'] ?? []), [found]);
  const samples = useMemo(() => samplesIn(found, nameOf), [found, nameOf]);
  const history = useMemo(() => historyOf(found, samples), [found, samples]);
  if (isPending) return <Waiting />;
  if (error) return <ErrorAlert error={error} />;
  if (found['patient']?.length === 0)
    return <Empty title="Subject not found">It does not exist, or you may not see it.</Empty>;
  return (
    <Stack>
      <Summary {...{ project, patient, alterations, samples, nameOf, isAlone }} rows={found} />
      <SwimLanes history={history} />
      {samples.length > 0 && (
        <GenomeOverview
          {...{ project, samples }}
          where={about(patient)}
          hasCopies={has('copynumber')}
          list={alterations}
        />
      )}
      <Fractions list={alterations} samples={samples} isAlone={isAlone} />
      {alterations.length > 0 && <Alterations {...{ samples, isAlone }} list={alterations} />}
      {has('observation') && (
        <Folded title="Measurements">
          <Curves project={project} where={about(patient)} isAlone={isAlone} />
        </Folded>
      )}
      {tables
        .filter(([target]) => has(target))
        .map(([target, title, fields]) => (
          <Folded key={target} title={title}>
            <Section {...{ project, patient, target, title, fields }} />
          </Folded>
        ))}
    </Stack>
  );
}

/** A part that asks for its rows when it is opened. */
function Folded({ title, children }: { title: string; children: React.ReactNode }) {
  const [wasOpened, setOpened] = useState(false);
  return (
    <details className="print-table" onToggle={() => setOpened(true)}>
      <summary>
        <Title order={2} size="h5" display="inline">
          {title}
        </Title>
      </summary>
      {wasOpened && children}
    </details>
  );
}

interface SectionProps {
  project: string;
  patient: string;
  target: string;
  title: string;
  fields: string[];
}

function Section({ project, patient, target, title, fields }: SectionProps) {
  const query = useQuery(rows(project, { target, where: about(patient), options: { fields } }));
  const columns: Column<Row>[] = fields.map((name) => ({
    name,
    value: (row) => row[name],
    numeric: /frequency|position|copy_number|^expression$/.test(name),
  }));
  const mayDraw = useMay('readData', { dataset: project, type: 'file' });
  if (target === 'variant' && mayDraw) columns.push(readsColumn(project));
  return (
    <section>
      <Loaded query={query}>
        {(list) => <Grid name={title} columns={columns} rows={list} heightMax={330} />}
      </Loaded>
    </section>
  );
}
