import type { Ids } from '../isolation/world.ts';

/** Parameters of each list beside its pages, by its path: every filter alone, several together, every order. */
export function filtersOf({ project, user, account, query, file }: Ids): Record<string, string[]> {
  const orders = ['name', 'name:desc', 'size', 'size:desc'].flatMap((order) => [
    `orderBy=${order}`,
    `orderBy=${order}&name=m`,
  ]);
  return {
    '/v1/projects': ['', 'name=f', 'include=rights,counts'],
    '/v1/activity': ['', 'open=true'],
    '/v1/account/groups': ['', 'name=g'],
    '/v1/account/groups/:id/members': [''],
    '/v1/users/:username/groups': [''],
    '/v1/account/users': ['', 'name=o', 'name=owner%40victim'],
    '/v1/files': [...orders, ...orders.map((order) => `datasetId=${project}&${order}`)],
    '/v1/projects/:id/files': ['', 'prefix=m'],
    '/v1/projects/:id/access': [''],
    '/v1/projects/:id/masked-columns': [''],
    '/v1/projects/:id/uploads': [''],
    '/v1/projects/:id/samples': [''],
    '/v1/projects/:id/annotation-changes': [''],
    '/v1/projects/:id/annotation-sources': [''],
    '/v1/projects/:projectId/saved-queries': [''],
    '/v1/projects/:projectId/reports': [''],
    '/v1/ingestions': [`datasetId=${project}`, `datasetId=${project}&fileId=${file}`],
    '/api/v1/analytics/data-lake/query': historyFilters(project, user),
    '/v1/analytics/data-lake/query': historyFilters(project, user),
    '/v1/cohorts': [`projectId=${project}`, `projectId=${project}&name=m`],
    '/v1/cohorts/:cohortId/counts': [''],
    '/v1/api-keys': [''],
    '/v1/invitations': ['', `user=${user}`, `account=${account}`, `account=${account}&sender=anyone`],
    '/v1/webhooks': [''],
    '/v1/webhooks/:webhookId/deliveries': ['', 'state=failed'],
    '/v1/ehrs': [''],
    '/v1/ehrs/:ehrId/syncs': [''],
    '/v1/policies': ['', 'name=p'],
    '/v1/audit-events': auditFilters(user, query, file),
  };
}

function historyFilters(project: string, user: string): string[] {
  const filters = [
    'state=succeeded',
    `userId=${user}`,
    'outputFileName=m',
    'startedFrom=0',
    'startedBefore=4e12',
  ];
  return ['', ...filters, filters.join('&')].map((filter) =>
    `datasetId=${project}&${filter}`.replace('4e12', `${4e12}`),
  );
}

function auditFilters(user: string, query: string, file: string): string[] {
  const time = ['from=2020-01-01T00:00:00Z', 'to=2090-01-01T00:00:00Z'];
  const actions = ['action=files.create', 'action=files.'];
  const things = [`resource=${file}`, `resource=query:${query}`, 'resource=file'];
  const filters = [...time, `user=${user}`, ...actions, ...things, 'outcome=refused'];
  const whole = [...time, `user=${user}`, 'action=files.', 'resource=file', 'outcome=done'].join('&');
  return ['', ...filters, whole];
}

/** Returns the searches of the reads area, whose lists are asked with POST, by their path. */
export function searchesOf({ project, referenceSet }: Ids): Record<string, object[]> {
  return {
    '/:account/v1/datasets/search': [{}],
    '/:account/v1/readgroupsets/search': [
      {},
      { datasetIds: [project] },
      { name: 'm' },
      { patientId: 'm' },
      { biosampleId: 'm' },
    ],
    '/:account/v1/referencesets/search': [{}, { md5checksum: 'm' }, { accession: 'm' }, { assemblyId: 'm' }],
    '/:account/v1/references/search': [
      {},
      { referenceSetId: referenceSet },
      { md5checksum: 'm' },
      { accession: 'm' },
      { referenceSetId: referenceSet, md5checksum: 'm' },
    ],
  };
}
