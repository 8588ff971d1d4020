import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api, take } from '../../api/client.ts';
import { projects, useMay } from '../../api/lists.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { Page as Frame } from '../../shell/Page.tsx';

/** Parts of the first page, which loads without them. */
const Ask = lazy(async () => ({ default: (await import('../../shell/Ask.tsx')).Ask }));
const ProjectTable = lazy(async () => ({
  default: (await import('./ProjectTable.tsx')).ProjectTable,
}));
const SampleButton = lazy(async () => ({
  default: (await import('./SampleButton.tsx')).SampleButton,
}));
const Recent = lazy(async () => ({ default: (await import('./Recent.tsx')).Recent }));

/** Projects of the account, and the latest work of the caller in them. */
export function Page() {
  const [making, { open, close }] = useDisclosure();
  const query = useQuery(projects('rights,counts'));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayMake = useMay('projectAdmin', { type: 'project' });
  const make = async ({ name = '', description = '' }: Record<string, string>): Promise<void> => {
    const { id } = await take(
      api.POST('/v1/projects', { body: { name, ...(description && { description }) } }),
    );
    await queries.invalidateQueries({ queryKey: ['projects'] });
    await navigate({ to: '/projects/$project/files', params: { project: id } });
  };
  const button = mayMake && (
    <>
      <Suspense>
        <SampleButton />
      </Suspense>
      <Button onClick={open}>New project</Button>
    </>
  );
  return (
    <Frame title="Projects" actions={button}>
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No project yet">
              A project holds the files, subjects and results of one study.
              {mayMake && ' Make one, or load the sample project to look around first.'}
              {mayMake === false && ' Ask an administrator of the account to make one.'}
            </Empty>
          ) : (
            <Suspense>
              <Recent />
              <ProjectTable projects={list} />
            </Suspense>
          )
        }
      </Loaded>
      {making && (
        <Suspense>
          <Ask
            title="New project"
            action="Create"
            fields={[
              { name: 'name', label: 'Name' },
              { name: 'description', label: 'Description', optional: true },
            ]}
            run={make}
            close={close}
          />
        </Suspense>
      )}
    </Frame>
  );
}
