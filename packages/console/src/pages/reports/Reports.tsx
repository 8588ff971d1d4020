import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { members } from '../../api/account.ts';
import { self, useMay } from '../../api/lists.ts';
import { makeReport, type ReportItem, removeReport, reportsOf } from '../../reports/reports.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { ReportPage } from './Report.tsx';

const from = '/projects/$project/reports';

/** Reports of a project, or the one that the address names. */
export function Page() {
  const { project } = useParams({ from });
  const { report } = useSearch({ from });
  return report ? <ReportPage key={report} project={project} id={report} /> : <List project={project} />;
}

/** Reports whether the user may change a report. */
function useMayChange(project: string): (report: ReportItem) => boolean {
  const { data: me } = useQuery(self);
  const administers = useMay('projectAdmin', { dataset: project, type: 'query' });
  return ({ ownerId }) => ownerId === me?.id || administers === true;
}

function List({ project }: { project: string }) {
  const query = useQuery(reportsOf(project));
  const queries = useQueryClient();
  const navigate = useNavigate({ from });
  const { data: me } = useQuery(self);
  const { data: people = [] } = useQuery(members());
  const mayChange = useMayChange(project);
  const [isMaking, making] = useDisclosure();
  const owner = ({ ownerId }: ReportItem): string => {
    const profile = people.find(({ id }) => id === ownerId)?.profile;
    return ownerId === me?.id ? 'me' : profile?.name || profile?.email || ownerId;
  };
  const { column, confirmation } = useRowActions<ReportItem>({
    changes: ['reports', project],
    of: (one) => [
      mayChange(one) && {
        label: 'Delete',
        question: `Delete ${one.name}?`,
        warning: `The report will be removed${one.shared ? ', also for everybody with whom it is shared' : ''}.`,
        run: () => removeReport(project, one.id),
      },
    ],
  });
  const columns: Column<ReportItem>[] = [
    {
      name: 'name',
      value: ({ name }) => name,
      render: ({ id, name }) => (
        <AnchorLink size="sm" to={from} params={{ project }} search={{ report: id }}>
          <bdi>{name}</bdi>
        </AnchorLink>
      ),
    },
    { name: 'readers', value: ({ shared }) => (shared ? 'project' : 'owner only') },
    { name: 'owner', value: owner },
    { name: 'changed', value: ({ modificationTime }) => modificationTime, isTime: true },
    column,
  ];
  return (
    <Frame title="Reports" actions={<Button onClick={making.open}>New report</Button>}>
      <MaskedNote project={project} />
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No report yet">
              Choose “Keep in a report” in the menu of a chart, a plot, an oncoprint, a comparison of survival
              or a result of SQL.
            </Empty>
          ) : (
            <Grid name="Reports" columns={columns} rows={list} />
          )
        }
      </Loaded>
      {isMaking && (
        <Ask
          title="New report"
          action="Create"
          fields={[{ name: 'name', label: 'Name' }]}
          close={making.close}
          run={async ({ name = '' }) => {
            const { id } = await makeReport(project, { name, shared: false, parts: [] });
            await queries.invalidateQueries({ queryKey: ['reports', project] });
            await navigate({ search: { report: id } });
          }}
        />
      )}
      {confirmation}
    </Frame>
  );
}
