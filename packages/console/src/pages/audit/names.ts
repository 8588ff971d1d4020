import { useQueries, useQuery } from '@tanstack/react-query';
import { clients, groups, lists, members, policies } from '../../api/account.ts';
import { all, orNone } from '../../api/client.ts';
import { projects, type Shape } from '../../api/lists.ts';

type Event = Shape<'AuditEvent'>;
export type Names = ReadonlyMap<string, string>;

/** Projects whose files are looked up, and files and ingestions of each. */
const projectsMax = 10;
const filesMax = 5_000;

/** Names by id, as far as the reader may see them: of the account, and of files where they are wanted. */
export function useNames(events: Event[], withFiles: boolean): Names {
  const { data: projectList = [] } = useQuery(projects());
  const { data: people = [] } = useQuery(members());
  const { data: groupList = [] } = useQuery(groups());
  const { data: policyList = [] } = useQuery(policies());
  const { data: clientList = [] } = useQuery(clients());
  const fileNames = useQueries({
    queries: withFiles ? projectsOf(events).map(namesInProject) : [],
    combine: (results) => results.flatMap(({ data = [] }) => data),
  });
  return new Map([
    ...[...projectList, ...groupList, ...policyList, ...clientList].map(named),
    ...people.map(({ id, profile }): [string, string] => [id, profile.name || profile.email || id]),
    ...fileNames,
  ]);
}

const named = ({ id, name }: { id: string; name: string }): [string, string] => [id, name];

function projectsOf(events: Event[]): string[] {
  const ids = events.flatMap(({ resource: { type, datasetId } }) =>
    datasetId !== undefined && (type === 'file' || type === 'ingestion') ? [datasetId] : [],
  );
  return [...new Set(ids)].slice(0, projectsMax);
}

const namesInProject = (datasetId: string) => ({
  queryKey: ['names of files', datasetId],
  staleTime: 60_000,
  queryFn: async (): Promise<[string, string][]> => {
    const [files, ingestions] = await Promise.all([
      orNone(all(lists.files(datasetId), filesMax)),
      orNone(all(lists.ingestions(datasetId), filesMax)),
    ]);
    return [...files.map(named), ...ingestions.map(({ id, fileName }): [string, string] => [id, fileName])];
  },
});

/** Puts names in place of ids in a text. */
export function withNames(text: string, names: Names): string {
  return text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => names.get(id) ?? id);
}
