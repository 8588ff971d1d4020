import type { Engine } from '@ploidy/engine';
import type { Caller } from '../access/caller.ts';
import type { Pages } from '../api/paging.ts';
import type { Located, Route } from '../api/route.ts';
import { timestamp } from '../base/ids.ts';
import type { Audit } from '../domains/audit/index.ts';
import type { LaunchPatients } from '../domains/authentication/oauth/index.ts';
import type { Files, Uploads } from '../domains/files/index.ts';
import type { ProjectRecord, Projects } from '../domains/files/projects/index.ts';
import type { Callers } from '../domains/identity/callers/index.ts';
import {
  attributesOfIngestion,
  type FoundIngestion,
  type Ingestions,
  knowsFile,
  viewOfIngestion,
} from '../domains/ingestion/index.ts';
import type { Lake } from '../domains/lake/index.ts';
import {
  FhirApi,
  type FhirIngestions,
  fhirRoutes,
  IncomingBundles,
  incomingRoutes,
  launchPatients,
  ResourceReader,
} from '../domains/protocols/index.ts';
import type { Records } from '../platform/records/index.ts';

interface FhirDeps {
  records: Records;
  audit: Audit;
  callers: Callers;
  lake: Lake;
  engine: Engine;
  countsMin: number;
  projects: Projects;
  pages: Pages;
  files: Files;
  uploads: Uploads;
  ingestions: Ingestions;
  publicUrl: () => string;
  groupsOf: (project: ProjectRecord, caller: Caller) => Promise<{ id: string; data: string }[]>;
}

/** Composes the FHIR interface: reads of the lake, and resources that arrive as ingestions. */
export function openFhir(deps: FhirDeps): { routes: Route[]; patients: LaunchPatients } {
  const { projects, publicUrl } = deps;
  const incoming = new IncomingBundles(deps.uploads, ingestionsOf(deps));
  const api = new FhirApi({ ...deps, reader: new ResourceReader(deps) });
  return {
    patients: launchPatients({ ...deps, api }),
    routes: [
      ...fhirRoutes({ api, projects, publicUrl, startedAt: timestamp(Date.now()) }),
      ...incomingRoutes({ incoming, projects, publicUrl }),
    ],
  };
}

function ingestionsOf({ ingestions, files }: Pick<FhirDeps, 'ingestions' | 'files'>): FhirIngestions {
  const locate = async (
    id: string,
    caller: Caller,
    toCancel = false,
  ): Promise<Located<FoundIngestion> | undefined> => {
    const record = await ingestions.find(id);
    if (!record) return undefined;
    const isOwn = !toCancel && record.user_id === caller.userId;
    const attributes = attributesOfIngestion(record);
    return { record, attributes, ...(isOwn && { operation: 'ingestions.readOwn' as const }) };
  };
  return {
    locate,
    start: (file, by) => ingestions.create(file, { type: 'fhir' }, by),
    newestOf: async ({ account_id: account, project_id: id, id: fileId }, caller) => {
      const page = { size: 1, after: undefined };
      const [newest] = await ingestions.list(caller, { account, id }, page, { fileId });
      return newest;
    },
    report: async (row, caller) =>
      viewOfIngestion(row, caller, await knowsFile(row, caller, files), await ingestions.waitOf(row)),
    cancel: (row, by) => ingestions.cancel(row, by),
  };
}
