import { Breadcrumbs, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { lists } from '../../api/account.ts';
import { all } from '../../api/client.ts';
import { useMay } from '../../api/lists.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import { TabLink } from '../../shell/TabLink.tsx';
import { Annotations } from './Annotations.tsx';
import { Buckets } from './Buckets.tsx';
import { DropArea } from './DropArea.tsx';
import { FileTable } from './FileTable.tsx';
import { Ingestions } from './Ingestions.tsx';
import { Samples } from './Samples.tsx';
import { UnfinishedUploads } from './Unfinished.tsx';
import { UploadList } from './UploadList.tsx';

const from = '/projects/$project/files';

/** Files of a project by folders, their ingestions, annotation sources, and the patients of their samples. */
export function Page() {
  const { project } = useParams({ from });
  const { prefix = '', tab = 'files' } = useSearch({ from });
  const queries = useQueryClient();
  const mayAdd = useMay('createData', { dataset: project, type: 'file' });
  const maySeeSamples = useMay('readData', { dataset: project, type: 'table' });
  const mayConnect = useMay('projectAdmin', { dataset: project, type: 'project' });
  const query = useQuery({
    queryKey: ['files', project, prefix],
    queryFn: () => all(lists.folder(project, prefix)),
  });
  const refresh = (): void => {
    void queries.invalidateQueries({ queryKey: ['files', project] });
    void queries.invalidateQueries({ queryKey: ['ingestions', project] });
  };
  const others = [
    ...[['ingestions', 'Ingestions'] as const, ['annotations', 'Annotations'] as const],
    ...(maySeeSamples ? [['samples', 'Samples'] as const] : []),
    ...(mayConnect ? [['buckets', 'Buckets'] as const] : []),
  ];
  return (
    <Frame title="Files">
      <MaskedNote project={project} />
      <Tabs value={tab} keepMounted={false}>
        <Tabs.List>
          <TabLink value="files" to="/projects/$project/files" params={{ project }}>
            Files
          </TabLink>
          {others.map(([value, label]) => (
            <TabLink
              key={value}
              value={value}
              to="/projects/$project/files"
              params={{ project }}
              search={{ tab: value }}
            >
              {label}
            </TabLink>
          ))}
        </Tabs.List>
        <Tabs.Panel value="files" pt="md">
          {mayAdd && <DropArea project={project} prefix={prefix} done={refresh} />}
          <UnfinishedUploads project={project} done={refresh} />
          <UploadList project={project} done={refresh} />
          <Folders project={project} prefix={prefix} />
          <Loaded query={query}>
            {(items) =>
              items.length === 0 ? (
                <Empty title="No files here">
                  {mayAdd ? 'Drop files into the field above.' : 'There are no files here that you may read.'}
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
        <Tabs.Panel value="annotations" pt="md">
          <Annotations project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="samples" pt="md">
          <Samples project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="buckets" pt="md">
          <Buckets project={project} />
        </Tabs.Panel>
      </Tabs>
    </Frame>
  );
}

function Folders({ project, prefix }: { project: string; prefix: string }) {
  const names = prefix.split('/').filter(Boolean);
  const places = names.map((name, at) => ({ name, prefix: `${names.slice(0, at + 1).join('/')}/` }));
  return (
    <Breadcrumbs my="sm">
      {[{ name: 'All files', prefix: '' }, ...places].map((place) => (
        <AnchorLink
          key={place.prefix}
          to="/projects/$project/files"
          params={{ project }}
          search={{ prefix: place.prefix }}
          size="sm"
        >
          {place.name}
        </AnchorLink>
      ))}
    </Breadcrumbs>
  );
}
