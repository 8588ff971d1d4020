import { Anchor, Breadcrumbs, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { all, api, take } from '../../api/client.ts';
import { useMay } from '../../api/lists.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { DropArea } from './DropArea.tsx';
import { FileTable } from './FileTable.tsx';
import { Ingestions } from './Ingestions.tsx';
import { UploadList } from './UploadList.tsx';

/** Files of a project by folders, and their ingestions. */
export function Page() {
  const { project = '' } = useParams({ strict: false });
  const { prefix = '', tab = 'files' } = useSearch({ strict: false }) as Record<string, string>;
  const queries = useQueryClient();
  const mayAdd = useMay('createData', { dataset: project, type: 'file' });
  const query = useQuery({
    queryKey: ['files', project, prefix],
    queryFn: () =>
      all(
        take(
          api.GET('/v1/projects/{id}/files', {
            params: { path: { id: project }, query: { pageSize: 1000, ...(prefix && { prefix }) } },
          }),
        ),
      ),
  });
  const refresh = (): void => {
    void queries.invalidateQueries({ queryKey: ['files', project] });
    void queries.invalidateQueries({ queryKey: ['ingestions', project] });
  };
  return (
    <Frame title="Files">
      <MaskedNote project={project} />
      <Tabs value={tab} keepMounted={false}>
        <Tabs.List>
          <TabLink project={project} value="files" label="Files" />
          <TabLink project={project} value="ingestions" label="Ingestions" />
        </Tabs.List>
        <Tabs.Panel value="files" pt="md">
          {mayAdd && <DropArea project={project} prefix={prefix} done={refresh} />}
          <UploadList project={project} done={refresh} />
          <Folders project={project} prefix={prefix} />
          <Loaded query={query}>
            {(items) =>
              items.length === 0 ? (
                <Empty title="No file here">
                  {mayAdd ? 'Drop files into the field above.' : 'There is none that you may read.'}
                </Empty>
              ) : (
                <FileTable project={project} prefix={prefix} items={items} changed={refresh} />
              )
            }
          </Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="ingestions" pt="md">
          <Ingestions project={project} />
        </Tabs.Panel>
      </Tabs>
    </Frame>
  );
}

function TabLink({ project, value, label }: { project: string; value: string; label: string }) {
  return (
    <Tabs.Tab
      value={value}
      component={Link as never}
      {...({ to: `/projects/${project}/files`, search: { tab: value } } as object)}
    >
      {label}
    </Tabs.Tab>
  );
}

function Folders({ project, prefix }: { project: string; prefix: string }) {
  const names = prefix.split('/').filter(Boolean);
  const places = names.map((name, at) => ({ name, prefix: `${names.slice(0, at + 1).join('/')}/` }));
  return (
    <Breadcrumbs my="sm">
      {[{ name: 'All files', prefix: '' }, ...places].map((place) => (
        <Anchor
          key={place.prefix}
          component={Link}
          to={`/projects/${project}/files`}
          {...({ search: { prefix: place.prefix } } as object)}
          size="sm"
        >
          {place.name}
        </Anchor>
      ))}
    </Breadcrumbs>
  );
}
