import { Autocomplete, Stack, Text, Title } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { buckets, rows } from '../../api/ask.ts';
import { type Shape, schema } from '../../api/lists.ts';
import { isOneOf } from '../../api/where.ts';
import { Chart } from '../../chart/Chart.tsx';
import { categories } from '../../design/palette.ts';
import { ErrorAlert, Waiting } from '../../shell/Feedback.tsx';
import { followedIn } from './followed.ts';
import { type Followed, kaplanMeier, logRank } from './survival.ts';

type Cohort = Shape<'Cohort'>;

/** Tables and columns with dates on which a patient was seen. */
export const contacts = [
  ['encounter', ['start_date', 'end_date']],
  ['condition', ['onset_date', 'recorded_date']],
  ['procedure', ['performed_date']],
  ['medication', ['start_date', 'authored_date']],
] as const;

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

/** Survival of groups as curves, with the test of two groups in a sentence. */
export function Curves({ names, groups }: { names: string[]; groups: Followed[][] }) {
  const labels = names.map((name, at) => `${at + 1}. ${name}`);
  const data = useMemo(
    () =>
      groups.flatMap((group, at) =>
        kaplanMeier(group).map((step) => ({ cohort: `${at + 1}. ${names[at]}`, ...step })),
      ),
    [groups, names],
  );
  const options = useMemo(() => optionsOf(data), [data]);
  const [first = [], second = []] = groups;
  const p = groups.length === 2 ? logRank(first, second) : undefined;
  return (
    <>
      <Text size="sm">
        {groups
          .map((group, at) => {
            const deaths = group.filter(({ isEvent }) => isEvent).length;
            return `${labels[at]}: ${group.length} followed, ${deaths} died`;
          })
          .join('; ')}
        .{p !== undefined && ` Log-rank test: p = ${p.toPrecision(3)}.`} Subjects without a death are followed
        until their last date on record.
      </Text>
      <Chart title="Survival by cohort" data={data} options={options} />
    </>
  );
}

type Drawn = { cohort: string; time: number; share: number; censored: number };

function optionsOf(data: Drawn[]): Plot.PlotOptions {
  const place = { x: 'time', y: 'share', stroke: 'cohort' } as const;
  return {
    width: 860,
    height: 320,
    color: { legend: true, range: [...categories] },
    x: { label: 'years' },
    // Values of a percent scale are multiplied by 100.
    y: { domain: [0, 100], grid: true, percent: true, label: 'alive (%)' },
    marks: [
      Plot.lineY(data, { ...place, curve: 'step-after', strokeWidth: 2 }),
      Plot.dot(
        data.filter(({ censored }) => censored > 0),
        { ...place, symbol: 'plus', r: 3 },
      ),
      Plot.ruleY([0]),
    ],
  };
}
