import { Autocomplete, Stack, Title } from '@mantine/core';
import type { Followed } from '@ploidy/statistics';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { buckets, rows } from '../../api/ask.ts';
import { type Shape, schema } from '../../api/lists.ts';
import { isOneOf } from '../../api/where.ts';
import { ErrorAlert, Waiting } from '../../shell/Feedback.tsx';
import { Curves, contacts } from '../../survival/Curves.tsx';
import { followedIn } from '../../survival/followed.ts';

type Cohort = Shape<'Cohort'>;

/** Survival of cohorts by Kaplan and Meier, from a diagnosis to death. */
export function Survival({ project, cohorts }: { project: string; cohorts: Cohort[] }) {
  const [condition, setCondition] = useState('');
  const { data: tables = [] } = useQuery(schema(project));
  const { data: conditions = [] } = useQuery(
    buckets(project, { target: 'condition', options: { groupBy: ['display'], limit: 1000 } }),
  );
  const names = conditions.map(({ key }) => key['display']).filter((name) => typeof name === 'string');
  const chosen = names.includes(condition) ? condition : undefined;
  const has = (name: string): boolean => tables.some(({ table }) => table === name);
  const seen = contacts.filter(([table]) => has(table));
  const asked = cohorts.flatMap(({ id }) => [
    read(project, id, 'condition', ['onset_date', 'recorded_date'], chosen),
    read(project, id, 'demographic', ['deceased_date']),
    ...seen.map(([table, fields]) => read(project, id, table, fields)),
  ]);
  const isKnown = has('condition') && has('demographic');
  const { found, error } = useQueries({
    queries: isKnown ? asked : [],
    combine: (answers): { found?: Followed[][]; error?: Error | undefined } => {
      const error = answers.find((one) => one.error)?.error ?? undefined;
      if (!answers.every(({ data }) => data)) return { error };
      const lists = answers.map(({ data }) => data ?? []);
      const found = cohorts.map((_, at) => {
        const own = lists.slice(at * (seen.length + 2), (at + 1) * (seen.length + 2));
        const [beginnings = [], deaths = [], ...rest] = own;
        return followedIn({ beginnings, deaths, contacts: rest.flat() });
      });
      return { found };
    },
  });
  if (!isKnown) return null;
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        Survival
      </Title>
      <Autocomplete
        label="Time begins with the first diagnosis of"
        placeholder="any condition"
        data={[...new Set(names)]}
        value={condition}
        onChange={setCondition}
        maw={420}
        limit={50}
      />
      {error && <ErrorAlert error={error} />}
      {found && <Curves names={cohorts.map(({ name }) => name)} groups={found} />}
      {!found && !error && <Waiting />}
    </Stack>
  );
}

function read(
  project: string,
  cohortId: string,
  target: string,
  fields: readonly string[],
  condition?: string,
) {
  const where = condition === undefined ? undefined : { condition: { display: isOneOf([condition]) } };
  return rows(project, { target, cohortId, where, options: { fields: ['patient_id', ...fields] } });
}
