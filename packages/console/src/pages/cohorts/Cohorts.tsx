import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
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
import { Compare } from './Compare.tsx';
import { CountHistory } from './CountHistory.tsx';

type Cohort = Shape<'Cohort'>;

const comparedMax = 4;

const from = '/projects/$project/cohorts';

/** Cohorts of a project: members, SQL, comparison. */
export function Page() {
  const { project } = useParams({ from });
  const { compare = '' } = useSearch({ from });
  const chosen = compare.split(',').filter(Boolean);
  const navigate = useNavigate({ from });
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
    <ButtonLink to="/projects/$project/subjects" params={{ project }}>
      Build a cohort
    </ButtonLink>
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
              <MultiSelect
                label="Compare two to four cohorts"
                data={list.map(({ id, name, resultCount }) => ({
                  value: id,
                  label: `${name} (${resultCount})`,
                }))}
                value={chosen}
                maxValues={comparedMax}
                searchable
                onChange={(ids) =>
                  void navigate({ search: { compare: ids.join(',') }, replace: true, resetScroll: false })
                }
              />
              {chosen.length > 1 && (
                <Compare project={project} cohorts={list.filter(({ id }) => chosen.includes(id))} />
              )}
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
