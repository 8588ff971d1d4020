import { pages } from '@ploidy/client';
import { queryOptions } from '@tanstack/react-query';
import { lists } from '../../api/account.ts';
import { account, all, api, orNone, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { isOpen } from '../../api/work.ts';

/** A query, ingestion or sync that has not ended. */
export interface OpenWork {
  id: string;
  kind: 'query' | 'ingestion' | 'sync';
  projectId: string;
  /** Statement, name of the file or of the EHR system; empty where the caller may not know it. */
  what: string;
  state: string;
  /** 0..1; `undefined` where the remaining work is unknown. */
  progress: number | undefined;
  userId: string;
  started: string;
  cancel: () => Promise<unknown>;
}

/** Pause between two looks at work that runs. */
const refreshMs = 15_000;

/** Open queries and ingestions in all projects: those that the user may see. */
export const openWork = () =>
  queryOptions({
    queryKey: ['work', account()],
    queryFn: async () =>
      (
        await all(
          pages((nextPageToken) =>
            api.GET('/v1/activity', { params: { query: { open: true, pageSize: 1000, nextPageToken } } }),
          ),
        )
      ).map(shown),
    refetchInterval: ({ state: { data } }) => ((data?.length ?? 0) > 0 ? refreshMs : false),
  });

/** Syncs that are looked at for each EHR system: at most one runs, others wait behind it. */
const syncsMax = 20;

/** Open syncs of the account; none for callers who may not list them. */
export const openSyncs = () =>
  queryOptions({
    queryKey: ['work', 'syncs', account()],
    queryFn: async () => {
      const ehrs = await orNone(all(lists.ehrs()));
      return (await Promise.all(ehrs.map(syncsOf))).flat();
    },
    refetchInterval: ({ state: { data } }) => ((data?.length ?? 0) > 0 ? refreshMs : false),
  });

/** Work that waits for others shows its position in the queue. */
const stateOf = ({
  state,
  waiting,
}: {
  state: string;
  waiting?: { position: number } | undefined;
}): string => (waiting ? `waiting, position ${waiting.position}` : state);

async function syncsOf({ id: ehrId, name }: { id: string; name: string }): Promise<OpenWork[]> {
  const params = { path: { ehrId }, query: { pageSize: syncsMax } };
  const { items } = await take(api.GET('/v1/ehrs/{ehrId}/syncs', { params }));
  return items.filter(isOpen).map((sync) => ({
    id: sync.id,
    kind: 'sync',
    projectId: sync.datasetId,
    what: name,
    state: stateOf(sync),
    progress: undefined,
    userId: sync.userId,
    started: sync.started ?? sync.created,
    cancel: () =>
      take(api.DELETE('/v1/ehrs/{ehrId}/syncs/{syncId}', { params: { path: { ehrId, syncId: sync.id } } })),
  }));
}

function shown({ id, kind, datasetId, what, userId, at, ...work }: Shape<'Work'>): OpenWork {
  const isQuery = kind === 'query';
  return {
    id,
    kind: isQuery ? 'query' : 'ingestion',
    projectId: datasetId,
    what: what.replace(/\s+/g, ' '),
    state: stateOf(work),
    progress: work.waiting ? undefined : (work.progress ?? 0),
    userId,
    started: new Date(at).toISOString(),
    cancel: () =>
      isQuery
        ? take(
            api.DELETE('/api/v1/analytics/data-lake/query/{queryId}', { params: { path: { queryId: id } } }),
          )
        : take(api.DELETE('/v1/ingestions/{id}', { params: { path: { id } } })),
  };
}
