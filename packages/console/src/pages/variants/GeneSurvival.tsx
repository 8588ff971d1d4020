import { Stack, Text, Title } from '@mantine/core';
import type { Followed } from '@ploidy/statistics';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type Row, rows } from '../../api/ask.ts';
import { type Shape, schema } from '../../api/lists.ts';
import { ErrorAlert, Waiting } from '../../shell/Feedback.tsx';
import type { Node } from '../../study/conditions.ts';
import { answerOf, attributesOf, listedMax, patientsOf } from '../../study/study.ts';
import { survivalCharts, survivalOf } from '../../study/survival-charts.ts';
import { Curves, contacts } from '../../survival/Curves.tsx';
import { followedIn } from '../../survival/followed.ts';

interface Props {
  project: string;
  gene: string;
}

/** Subjects with a mutation of a gene, and those that are profiled and have none. */
const groupsOf = (gene: string): Node[] => {
  const altered = { alteration: { genes: [gene], kinds: ['mutation' as const] } };
  return [altered, { not: altered }];
};

/** Survival of subjects with a mutation of a gene, and of those that are profiled and have none. */
export function GeneSurvival({ project, gene }: Props) {
  const { data: attributes } = useQuery(attributesOf(project));
  const [chart] = survivalCharts(attributes ?? []);
  const measured = chart && survivalOf(chart.id);
  if (attributes === undefined) return null;
  return measured ? (
    <OfStudy project={project} gene={gene} {...measured} />
  ) : (
    <OfRecords project={project} gene={gene} />
  );
}

/** Survival by the status and months that the files of a study give. */
function OfStudy({ project, gene, status, time }: Props & { status: string; time: string }) {
  const answers = useQueries({
    queries: groupsOf(gene).map((filter) =>
      answerOf({
        datasetId: project,
        unit: 'patient',
        filter,
        aggregates: [{ id: 'km', kind: 'km', status, time }],
      }),
    ),
  });
  const error = answers.find((one) => one.error)?.error;
  if (error) return <ErrorAlert error={error} />;
  if (!answers.every(({ data }) => data)) return <Waiting />;
  const results = answers.map(({ data }) => data?.results['km']);
  const refused = results.find((one) => one?.error)?.error;
  return (
    <Section>
      {refused ? (
        <Text size="sm">{refused.message}</Text>
      ) : (
        <Drawn gene={gene} groups={results.map((one) => (one?.km ? followedOf(one.km) : []))} />
      )}
    </Section>
  );
}

const monthsOfYear = 12;

/** Returns the subjects behind the steps of a curve, with times in years. */
function followedOf({ curves }: Shape<'StudySurvival'>): Followed[] {
  return (curves[0]?.steps ?? []).flatMap(({ time: months, events, censored }) => {
    const time = months / monthsOfYear;
    return [
      ...Array.from({ length: events }, () => ({ time, isEvent: true })),
      ...Array.from({ length: censored }, () => ({ time, isEvent: false })),
    ];
  });
}

/** Survival from the first diagnosis by the dates of records. */
function OfRecords({ project, gene }: Props) {
  const { data: tables = [] } = useQuery(schema(project));
  const has = (name: string): boolean => tables.some(({ table }) => table === name);
  const isKnown = has('condition') && has('demographic');
  const ids = useQueries({
    queries: isKnown ? groupsOf(gene).map((node) => patientsOf(project, 'patient', node)) : [],
  });
  const seen = contacts.filter(([table]) => has(table));
  const read = (target: string, fields: readonly string[]) =>
    rows(project, { target, options: { fields: ['patient_id', ...fields] } });
  const asked = [
    read('condition', ['onset_date', 'recorded_date']),
    read('demographic', ['deceased_date']),
    ...seen.map(([table, fields]) => read(table, fields)),
  ];
  const dates = useQueries({ queries: asked.filter(() => isKnown) });
  const error = [...ids, ...dates].find((one) => one.error)?.error;
  if (!isKnown) return null;
  if (error) return <ErrorAlert error={error} />;
  if (![...ids, ...dates].every(({ data }) => data)) return <Waiting />;
  const [beginnings = [], deaths = [], ...rest] = dates.map(({ data }) => data ?? []);
  const groups = ids.map(({ data = [] }) => {
    const members = new Set(data);
    const of = (list: readonly Row[]): Row[] => list.filter((row) => members.has(String(row['patient_id'])));
    return followedIn({ beginnings: of(beginnings), deaths: of(deaths), contacts: of(rest.flat()) });
  });
  return (
    <Section>
      {ids.some(({ data = [] }) => data.length >= listedMax) && (
        <Text size="sm">Of each group the first {listedMax.toLocaleString()} subjects.</Text>
      )}
      <Drawn gene={gene} groups={groups} />
    </Section>
  );
}

function Section({ children }: { children: React.ReactNode }) {
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        Survival
      </Title>
      {children}
    </Stack>
  );
}

function Drawn({ gene, groups }: { gene: string; groups: Followed[][] }) {
  return (
    <Curves
      names={[`${gene} mutated`, `${gene} profiled, not mutated`]}
      groups={groups}
      title={`Survival by mutations of ${gene}`}
    />
  );
}
