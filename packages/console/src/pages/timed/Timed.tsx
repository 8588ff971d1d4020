import { Button, Card, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { api, take } from '../../api/client.ts';
import { schema } from '../../api/lists.ts';
import { IndexCurves } from '../../figures.tsx';
import { Empty, ErrorAlert, Loaded, notify } from '../../shell/Feedback.tsx';
import { ButtonLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { type Conditions, nodeOf, readConditions, writeConditions } from '../../study/conditions.ts';
import { SaveCohort } from '../../study/SaveCohort.tsx';
import { answerOf } from '../../study/study.ts';
import type { Moment, Timed } from '../../study/timed.ts';
import { Attrition } from './Attrition.tsx';
import { MomentForm } from './MomentForm.tsx';
import { EndForm, IndexForm, RulesForm } from './RulesForm.tsx';
import { firstTimed, type Kind, kindsIn, readMoment, readTimed } from './timed.ts';

const from = '/projects/$project/timed';

/** Cohort of an index event, rules in days around it and an exit, with the subjects left after each step. */
export function Page() {
  const { project } = useParams({ from });
  const tables = useQuery(schema(project));
  return (
    <Frame title="Cohort with time">
      <MaskedNote project={project} />
      <Loaded query={tables}>
        {(list) => {
          const kinds = kindsIn(list.map(({ table }) => table));
          return kinds.length === 0 ? (
            <Empty title="No dates yet">
              A cohort with time needs a timeline, or diagnoses, medications and other rows with dates.
            </Empty>
          ) : (
            <Content project={project} kinds={kinds} />
          );
        }}
      </Loaded>
    </Frame>
  );
}

function Content({ project, kinds }: { project: string; kinds: readonly Kind[] }) {
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const timed = readTimed(search.timed) ?? firstTimed(kinds);
  const event = readMoment(search.event);
  const conditions = readConditions(search.filter);
  const set = (part: { timed?: string; event?: string }): void =>
    void navigate({ search: (now) => ({ ...now, ...part }), resetScroll: false });
  const change = (part: Partial<Timed>): void => {
    const next = { ...timed, ...part };
    // Days of the timeline and dates cannot be compared: other events leave with the clock.
    const isOther = (next.index.event.of === 'event') !== (timed.index.event.of === 'event');
    set({
      timed: JSON.stringify(isOther ? { index: next.index } : next),
      ...(isOther && { event: '' }),
    });
  };
  const ofClock = kinds.filter(({ of }) => (of === 'event') === (timed.index.event.of === 'event'));
  const query = useQuery(
    answerOf({
      ...{ datasetId: project, unit: 'patient', filter: nodeOf(conditions) },
      aggregates: [{ id: 'left', kind: 'attrition', timed }],
    }),
  );
  const steps = query.data?.results['left']?.attrition?.steps ?? [];
  const members: Conditions = [...conditions, { is: { timed } }];
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack>
          <IndexForm {...{ project, kinds }} index={timed.index} set={(index) => change({ index })} />
          <RulesForm
            {...{ project }}
            kinds={ofClock}
            rules={timed.rules ?? []}
            set={(rules) => change({ rules })}
          />
          <EndForm {...{ project, timed, change }} kinds={ofClock} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack>
          <Group justify="space-between">
            <Text fw={700} role="status" style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
              {countText(steps.at(-1)?.patients)}
            </Text>
            <Group gap="xs">
              <ButtonLink
                size="compact-sm"
                variant="default"
                to="/projects/$project"
                params={{ project }}
                search={{ filter: writeConditions(members) }}
              >
                Open in the study
              </ButtonLink>
              {search.cohort ? (
                <Replace {...{ project, conditions: members }} cohort={search.cohort} />
              ) : (
                <SaveCohort
                  {...{ project, conditions: members }}
                  unit="patient"
                  count={steps.at(-1)?.patients}
                />
              )}
            </Group>
          </Group>
          {query.error && <ErrorAlert error={query.error} />}
          <Attrition steps={steps} />
          <Survival
            {...{ project, timed, event, conditions }}
            kinds={ofClock}
            set={(next) => set({ event: JSON.stringify(next) })}
          />
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

/** Words of the number of members; `null`: too few to be shown. */
function countText(count: number | null | undefined): string {
  if (count === undefined) return '… subjects';
  if (count === null) return 'Few subjects';
  return `${count.toLocaleString()} ${count === 1 ? 'subject' : 'subjects'} in the cohort`;
}

interface SurvivalProps {
  project: string;
  timed: Timed;
  event: Moment | undefined;
  conditions: Conditions;
  kinds: readonly Kind[];
  set: (event: Moment) => void;
}

/** Survival of the members from the index event to another one. */
function Survival({ project, timed, event, conditions, kinds, set }: SurvivalProps) {
  const endpoint = event && { timed, event };
  const is = nodeOf([...conditions, { is: { timed } }]);
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between">
        <Title order={2} size="h5">
          Time to an event
        </Title>
        {endpoint && (
          <ButtonLink
            size="compact-sm"
            variant="default"
            to="/projects/$project/compare"
            params={{ project }}
            search={{
              endpoint: JSON.stringify(endpoint),
              groups: JSON.stringify([{ name: 'Cohort', is }]),
              tab: 'survival',
            }}
          >
            Compare groups from here
          </ButtonLink>
        )}
      </Group>
      <Stack gap="xs">
        <MomentForm
          {...{ project, kinds, set }}
          label="Event"
          moment={event ?? { of: kinds[0]?.of ?? 'event' }}
        />
        {endpoint && <IndexCurves {...{ project, is, endpoint }} />}
      </Stack>
    </Card>
  );
}

/** Button that replaces the definition of a kept cohort. */
function Replace({
  project,
  cohort,
  conditions,
}: {
  project: string;
  cohort: string;
  conditions: Conditions;
}) {
  const queries = useQueryClient();
  const work = useMutation({
    mutationFn: () => {
      const query = { filter: nodeOf(conditions), unit: 'patient' };
      const body = { queries: [{ project, queryType: 'study' as const, query }] };
      return take(api.PATCH('/v1/cohorts/{cohortId}', { params: { path: { cohortId: cohort } }, body }));
    },
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries({ queryKey: ['cohorts', project] });
      notify(`The cohort ${name} is saved.`);
    },
  });
  return (
    <>
      <Button size="compact-sm" loading={work.isPending} onClick={() => work.mutate()}>
        Save the cohort
      </Button>
      {work.error && <ErrorAlert error={work.error} />}
    </>
  );
}
