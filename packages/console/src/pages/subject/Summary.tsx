import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Row } from '../../api/ask.ts';
import { api, take } from '../../api/client.ts';
import { download } from '../../api/files.ts';
import { useMay } from '../../api/lists.ts';
import { reportError } from '../../shell/Feedback.tsx';
import { statusText } from '../../study/words.ts';
import { saveAs } from '../../table/csv.ts';
import { shownValue } from '../../words/dictionary.ts';
import { KeyAlterations } from './Alterations.tsx';
import type { Alteration } from './alterations-in.ts';
import { isSo } from './lanes.ts';
import { SampleTable } from './SampleTable.tsx';
import type { Sample } from './samples.ts';

interface Props {
  project: string;
  patient: string;
  /** Rows of the patient by the name of their table. */
  rows: Readonly<Record<string, readonly Row[]>>;
  alterations: readonly Alteration[];
  samples: readonly Sample[];
  nameOf: (attribute: string) => string;
  /** False where other patients are beside it. */
  isAlone: boolean;
}

const linesMax = 7;

/** Summary of a patient on one screen: diagnoses, therapy, status, samples, documents and known alterations. */
export function Summary({ project, patient, rows, alterations, samples, nameOf, isAlone }: Props) {
  const mayExport = useMay('readData', { dataset: project, type: 'table' });
  const [person = {}] = rows['patient'] ?? [];
  const values = valuesIn(rows['attribute_value'], nameOf);
  return (
    <Card withBorder padding="sm" component="section" aria-label="Summary">
      <Group justify="space-between" mb={6}>
        <Group gap="sm">
          <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
            {isAlone ? 'Summary' : <bdi>{patient}</bdi>}
          </Title>
          <Text size="sm">{personText(person)}</Text>
        </Group>
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
      <SimpleGrid cols={isAlone ? { base: 1, sm: 2, lg: values.length > 0 ? 3 : 2 } : 1} mb="xs">
        <Part title="Diagnoses" lines={diagnosesIn(rows['condition'])} />
        <Part title="Therapy" lines={therapyIn(rows['medication'], rows['timeline_event'])} />
        <Part title="Further values" isOptional lines={values} />
      </SimpleGrid>
      <Text size="sm" fw={600} mb={4}>
        Known alterations
      </Text>
      <KeyAlterations list={alterations} project={project} />
      <Text size="sm" fw={600} mt="xs" mb={4}>
        Samples
      </Text>
      <SampleTable samples={samples} />
      <Documents rows={rows['media'] ?? []} />
    </Card>
  );
}

async function savePhenopacket(project: string, patient: string): Promise<void> {
  const path = { id: project, subjectId: patient };
  const packet = await take(
    api.GET('/v1/projects/{id}/subjects/{subjectId}/phenopacket', { params: { path } }),
  );
  saveAs(`${patient}.phenopacket.json`, JSON.stringify(packet, undefined, 2), 'application/json');
}

function personText(row: Row): string {
  const shown = (name: string): string => shownValue(name, row[name]);
  const died = row['is_deceased'] === true ? `deceased ${shown('deceased_date')}`.trim() : '';
  const parts = [
    shown('gender'),
    row['age'] !== null && row['age'] !== undefined ? `${shown('age')} years` : '',
    shown('birth_date') && `born ${shown('birth_date')}`,
    died,
    ...['race', 'ethnicity', 'state', 'country'].map(shown),
  ];
  return parts.filter(Boolean).join(' · ');
}

interface PartLine {
  text: string;
  more: string;
}

function Part({ title, lines, isOptional }: { title: string; lines: PartLine[]; isOptional?: boolean }) {
  if (isOptional && lines.length === 0) return null;
  return (
    <Stack gap={2}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {lines.length === 0 && <Text size="sm">None recorded</Text>}
      {lines.slice(0, linesMax).map(({ text, more }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines do not move, and may be equal
        <Text key={at} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{text}</bdi>
          {more && <span style={{ color: 'var(--soft)' }}> · {more}</span>}
        </Text>
      ))}
      {lines.length > linesMax && <Text size="sm">and {lines.length - linesMax} more</Text>}
    </Stack>
  );
}

/** Joins parts of a line. */
const joined = (...parts: ReactNode[]): string => parts.filter(Boolean).join(', ');

/** Lists active diagnoses with a stage first, and those that were ruled out last, with their status. */
function diagnosesIn(rows: readonly Row[] = []): PartLine[] {
  const rank = (row: Row): number => {
    if (!isSo(row)) return 3;
    return row['stage'] ? 0 : row['clinical_status'] === 'active' ? 1 : 2;
  };
  return rows
    .toSorted((one, other) => rank(one) - rank(other))
    .map((row) => ({
      text: String(row['display'] ?? row['code'] ?? ''),
      more: joined(
        shownValue('stage', row['stage']),
        row['clinical_status'] as string,
        row['verification_status'] !== 'confirmed' && (row['verification_status'] as string),
        shownValue('onset_date', row['onset_date'] ?? row['recorded_date']),
      ),
    }));
}

/** Lists each medicine once, with its first and last day, in the order of the first. */
function therapyIn(medications: readonly Row[] = [], events: readonly Row[] = []): PartLine[] {
  const given = medications.filter(isSo);
  const ofRecords = [...Map.groupBy(given, ({ display, code }) => String(display ?? code ?? ''))].map(
    ([text, rows]) => {
      const dates = rows.flatMap((row) => [row['start_date'] ?? row['authored_date'], row['end_date']]);
      const known = dates.filter((date) => typeof date === 'string').sort();
      const ends = [...new Set([known[0], known.at(-1)])].map((date) => shownValue('start_date', date));
      return {
        text,
        first: known[0] ?? '',
        more: joined([...new Set(rows.map(({ status }) => status))].join(', '), ends.join(' to ')),
      };
    },
  );
  const agents = events
    .filter(({ type }) => String(type).toUpperCase() === 'TREATMENT')
    .flatMap(({ attributes }) => /"AGENT":"((?:[^"\\]|\\.)*)"/.exec(String(attributes))?.[1] ?? []);
  return [
    ...ofRecords.sort((one, other) => one.first.localeCompare(other.first)),
    ...[...new Set(agents)].map((text) => ({ text, more: '' })),
  ];
}

/** Lists values of the patient, and those that all samples share. */
function valuesIn(rows: readonly Row[] = [], nameOf: (attribute: string) => string): PartLine[] {
  const known = rows.filter((row) => row['value'] !== null || row['number'] !== null);
  return [...Map.groupBy(known, (row) => String(row['attribute_id']))].flatMap(([id, list]) => {
    const values = new Set(list.map((row) => statusText(id, String(row['value'] ?? row['number']))));
    const isOfSamples = list.some((row) => row['sample_id']);
    if (isOfSamples && (values.size > 1 || new Set(list.map((row) => row['sample_id'])).size === 1))
      return [];
    return [{ text: `${nameOf(id)}: ${[...values].join(', ')}`, more: '' }];
  });
}

function Documents({ rows }: { rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  return (
    <Group gap={6} mt="xs">
      <Text size="sm" fw={600}>
        Documents
      </Text>
      {rows.slice(0, 8).map((row) => {
        const title = String(row['title'] ?? row['type'] ?? 'Document');
        const file = row['file_id'];
        return typeof file === 'string' ? (
          <Button
            key={String(row['id'])}
            size="compact-xs"
            variant="default"
            onClick={() => void download(file).catch(reportError)}
          >
            <bdi>{title}</bdi>
          </Button>
        ) : (
          <Text key={String(row['id'])} size="sm">
            <bdi>{title}</bdi> (no file in this project)
          </Text>
        );
      })}
      {rows.length > 8 && <Text size="sm">and {rows.length - 8} more</Text>}
    </Group>
  );
}
