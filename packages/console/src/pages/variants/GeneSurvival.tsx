import { Stack, Text, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type Row, rows } from '../../api/ask.ts';
import { schema } from '../../api/lists.ts';
import { ErrorAlert, Waiting } from '../../shell/Feedback.tsx';
import type { Leaf } from '../../study/conditions.ts';
import { listedMax, patientsOf } from '../../study/study.ts';
import { Curves, contacts } from '../../survival/Curves.tsx';
import { followedIn } from '../../survival/followed.ts';

/** Survival of subjects with a mutation of a gene, and of those that are profiled and have none. */
export function GeneSurvival({ project, gene }: { project: string; gene: string }) {
  const { data: tables = [] } = useQuery(schema(project));
  const has = (name: string): boolean => tables.some(({ table }) => table === name);
  const isKnown = has('condition') && has('demographic');
  const altered: Leaf = { alteration: { genes: [gene], kinds: ['mutation'] } };
  const ids = useQueries({
    queries: isKnown ? [altered, { not: altered }].map((node) => patientsOf(project, 'patient', node)) : [],
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
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        Survival
      </Title>
      {ids.some(({ data = [] }) => data.length >= listedMax) && (
        <Text size="sm">Of each group the first {listedMax.toLocaleString()} subjects.</Text>
      )}
      <Curves
        names={[`${gene} mutated`, `${gene} profiled, not mutated`]}
        groups={groups}
        title={`Survival by mutations of ${gene}`}
      />
    </Stack>
  );
}
