import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Row, rows } from '../../api/ask.ts';
import { api, take } from '../../api/client.ts';
import { schema, useMay } from '../../api/lists.ts';
import type { Where } from '../../api/where.ts';
import { Empty, Loaded, reportError } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import { saveAs } from '../../table/csv.ts';
import { Grid } from '../../table/Grid.tsx';
import { readsColumn } from '../../table/reads.tsx';
import { Curves } from './Curves.tsx';
import { Timeline } from './Timeline.tsx';

const tables: readonly [target: string, title: string, fields: string[]][] = [
  [
    'condition',
    'Conditions',
    ['display', 'clinical_status', 'onset_date', 'abatement_date', 'stage', 'code'],
  ],
  ['medication', 'Medications', ['display', 'status', 'start_date', 'end_date', 'authored_date', 'code']],
  ['procedure', 'Procedures', ['display', 'status', 'performed_date', 'performed_end_date', 'code']],
  ['encounter', 'Encounters', ['class_display', 'type_display', 'start_date', 'end_date', 'status']],
  ['allergy', 'Allergies', ['display', 'criticality', 'clinical_status', 'onset_date']],
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

/** The condition that rows are about a patient. */
const about = (patient: string): Where => ({ patient: { id: [{ operator: 'eq', value: patient }] } });

interface Props {
  project: string;
  patient: string;
  isAlone: boolean;
}

/** Data of one patient in a project. */
export function SubjectView({ project, patient, isAlone }: Props) {
  const { data: known = [] } = useQuery(schema(project));
  const has = (name: string): boolean =>
    known.some(({ table }) => table === (name === 'expression' ? 'gene' : name));
  return (
    <Stack>
      <Header project={project} patient={patient} />
      {(has('condition') || has('encounter')) && <Timeline project={project} patient={patient} />}
      {has('observation') && <Curves project={project} where={about(patient)} isAlone={isAlone} />}
      {tables
        .filter(([target]) => has(target))
        .map(([target, title, fields]) => (
          <Section key={target} {...{ project, patient, target, title, fields }} />
        ))}
    </Stack>
  );
}

async function savePhenopacket(project: string, patient: string): Promise<void> {
  const path = { id: project, subjectId: patient };
  const packet = await take(
    api.GET('/v1/projects/{id}/subjects/{subjectId}/phenopacket', { params: { path } }),
  );
  saveAs(`${patient}.phenopacket.json`, JSON.stringify(packet, undefined, 2), 'application/json');
}

function Header({ project, patient }: { project: string; patient: string }) {
  const mayExport = useMay('readData', { dataset: project, type: 'table' });
  const fields = [
    'gender',
    'age',
    'birth_date',
    'is_deceased',
    'deceased_date',
    'race',
    'ethnicity',
    'state',
    'country',
  ];
  const query = useQuery(
    rows(project, { target: 'patient', where: about(patient), options: { fields, limit: 1 } }),
  );
  return (
    <Loaded query={query}>
      {([row]) =>
        row === undefined ? (
          <Empty title="Subject not found">It does not exist, or you may not see it.</Empty>
        ) : (
          <Card withBorder>
            <Group justify="space-between" mb={4}>
              <Title order={2} size="h4">
                {patient}
              </Title>
              {mayExport && (
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => void savePhenopacket(project, patient).catch(reportError)}
                >
                  Save as phenopacket
                </Button>
              )}
            </Group>
            <Group gap="lg">
              {fields
                .filter((name) => row[name] !== null && row[name] !== undefined)
                .map((name) => (
                  <Text size="sm" key={name}>
                    {name.replaceAll('_', ' ')}: <b>{String(row[name])}</b>
                  </Text>
                ))}
            </Group>
          </Card>
        )
      }
    </Loaded>
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
        {(list) =>
          list.length > 0 && (
            <>
              <Title order={2} size="h4" mb="xs">
                {title}
              </Title>
              <Grid name={title} columns={columns} rows={list} heightMax={330} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
