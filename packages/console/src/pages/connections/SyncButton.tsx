import { Button, Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { projects } from '../../api/lists.ts';
import { notify, reportError } from '../../shell/Feedback.tsx';

/** Pulls from an EHR system into a project. */
export function SyncButton({ ehr }: { ehr: { id: string; name: string } }) {
  const { data = [] } = useQuery(projects());
  const queries = useQueryClient();
  const sync = async (datasetId: string): Promise<void> => {
    await take(
      api.POST('/v1/ehrs/{ehrId}/sync', { params: { path: { ehrId: ehr.id } }, body: { datasetId } }),
    );
    await queries.invalidateQueries({ queryKey: ['syncs', ehr.id] });
    notify(`The sync of ${ehr.name} has started.`);
  };
  return (
    <Menu>
      <Menu.Target>
        <Button size="compact-xs" variant="default">
          Sync now
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Into the project</Menu.Label>
        {data.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => void sync(id).catch(reportError)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
