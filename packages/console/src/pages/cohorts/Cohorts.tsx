import { Group, MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { cohorts } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import { type Shape, useMay } from '../../api/lists.ts';
import { ExportDialogue } from '../../exports/ExportDialogue.tsx';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { AnchorLink, ButtonLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { CountHistory } from './CountHistory.tsx';

type Cohort = Shape<'Cohort'>;

/** Number of groups that the page of a comparison takes. */
const comparedMax = 10;

const from = '/projects/$project/cohorts';

/** Cohorts of a project: members, SQL, comparison. */
export function Page() {
  const { project } = useParams({ from });
  const [chosen, setChosen] = useState<string[]>([]);
  const query = useQuery(cohorts(project));
  const mayDelete = useMay('deleteData', { dataset: project, type: 'cohort' });
  const mayExport = useMay('readData', { dataset: project, type: 'table' });
  const [exported, setExported] = useState<Cohort>();
  const [shown, setShown] = useState<Cohort>();
  const { column, confirmation } = useRowActions<Cohort>({
    changes: ['cohorts', project],
    width: 290,
    of: (cohort) => [
      <ButtonLink
        key="SQL"
        size="compact-xs"
        variant="default"
        to="/projects/$project/sql"
        params={{ project }}
        search={{ sql: sqlOf(cohort) }}
      >
        SQL
      </ButtonLink>,
      timedOf(cohort) && (
        <ButtonLink
          key="Edit"
          size="compact-xs"
          variant="default"
          to="/projects/$project/timed"
          params={{ project }}
          search={{ ...timedOf(cohort), cohort: cohort.id }}
        >
          Edit
        </ButtonLink>
      ),
      { label: 'Counts', run: () => setShown(cohort) },
      mayExport && { label: 'Export', run: () => setExported(cohort) },
      mayDelete && {
        label: 'Delete',
        question: `Delete ${cohort.name}?`,
        warning: `The cohort of ${cohort.resultCount.toLocaleString()} subjects will be removed. The subjects stay.`,
        run: () => take(api.DELETE('/v1/cohorts/{cohortId}', { params: { path: { cohortId: cohort.id } } })),
      },
    ],
  });
  const build = (
    <Group gap="xs">
      <ButtonLink variant="default" to="/projects/$project/timed" params={{ project }}>
        Cohort with time
      </ButtonLink>
      <ButtonLink to="/projects/$project/subjects" params={{ project }}>
        Build a cohort
      </ButtonLink>
    </Group>
  );
  return (
    <Frame title="Cohorts" actions={build}>
      <MaskedNote project={project} />
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No cohort yet" action={build}>
              Choose subjects by their properties and save them as a cohort.
            </Empty>
          ) : (
            <>
              <Grid name="Cohorts" columns={[...columnsOf(project), column]} rows={list} />
              <Group align="end">
                <MultiSelect
                  label="Compare cohorts"
                  description="Two to ten, by survival, attributes and genes"
                  data={list.map(({ id, name, resultCount }) => ({
                    value: id,
                    label: `${name} (${resultCount})`,
                  }))}
                  value={chosen}
                  maxValues={comparedMax}
                  searchable
                  onChange={setChosen}
                  style={{ flex: '1 1 320px' }}
                />
                <ButtonLink
                  disabled={chosen.length < 2}
                  to="/projects/$project/compare"
                  params={{ project }}
                  search={{ groups: groupsOf(list.filter(({ id }) => chosen.includes(id))) }}
                >
                  Compare these
                </ButtonLink>
              </Group>
            </>
          )
        }
      </Loaded>
      {shown && <CountHistory cohort={shown} close={() => setShown(undefined)} />}
      {exported && (
        <ExportDialogue
          project={project}
          cohort={exported.id}
          name={exported.name}
          close={() => setExported(undefined)}
        />
      )}
      {confirmation}
    </Frame>
  );
}

/** Returns cohorts as the groups of a comparison's address. */
const groupsOf = (list: readonly Cohort[]): string =>
  JSON.stringify(list.map(({ id, name }) => ({ name, is: { cohort: id } })));

/** Returns the address of a cohort with time: its last condition, and those before it. */
function timedOf({ queries }: Cohort): { timed: string; filter: string } | undefined {
  const [only, second] = queries;
  const parts: unknown = Object(only?.query['filter']).and;
  if (second || only?.queryType !== 'study' || !Array.isArray(parts)) return undefined;
  const { timed } = Object(parts.at(-1));
  const before = parts.slice(0, -1).map((is) => ({ is }));
  return timed && { timed: JSON.stringify(timed), filter: before.length > 0 ? JSON.stringify(before) : '' };
}

const sqlOf = ({ id }: Cohort): string =>
  `SELECT *\nFROM patient\nJOIN cohort USING (patient_id)\nWHERE cohort_id = '${id}'`;

const columnsOf = (project: string): Column<Cohort>[] => [
  {
    name: 'cohort',
    value: ({ name }) => name,
    render: ({ id, name }) => (
      <AnchorLink size="sm" to="/projects/$project/subjects" params={{ project }} search={{ cohort: id }}>
        {name}
      </AnchorLink>
    ),
  },
  { name: 'subjects', value: ({ resultCount }) => resultCount, numeric: true },
  { name: 'description', value: ({ description }) => description },
  { name: 'counted', value: ({ countedTime }) => countedTime, isTime: true },
  { name: 'error', value: ({ error }) => error },
];
