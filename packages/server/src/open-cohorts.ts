import { Analytics, analyticsRoutes } from './domains/analytics/index.ts';
import type { Audit } from './domains/audit/index.ts';
import {
  attributesOfCohort,
  Cohorts,
  cohortRoutes,
  freshenCohort,
  freshenDay,
  freshenProject,
} from './domains/cohorts/index.ts';
import type { Lake } from './domains/lake/index.ts';
import type { Projects } from './domains/projects/index.ts';
import type { Logger } from './log.ts';
import type { Pages } from './paging.ts';
import type { Blobs } from './platform/blobs/index.ts';
import type { Engine } from './platform/engine/index.ts';
import type { Records } from './platform/records/index.ts';
import type { Secrets } from './platform/secrets/index.ts';
import type { Route } from './route.ts';

interface CohortPlatform {
  log: Logger;
  records: Records;
  blobs: Blobs;
  engine: Engine;
  secrets: Secrets;
  audit: Audit;
  lake: Lake;
  projects: Projects;
  pages: Pages;
  config: { countsMin: number };
}

export interface OpenedCohorts {
  routes: Route[];
  /** Brings the table `cohort` of a project up to date, before a statement reads it. */
  freshenProject: (project: string, signal: AbortSignal) => Promise<void>;
}

/** Puts together cohorts and the questions that are answered at once. */
export function openCohorts(platform: CohortPlatform): OpenedCohorts {
  const { audit, projects, pages } = platform;
  const analytics = new Analytics(platform);
  const parts = { ...platform, analytics, underWay: new Map() };
  const cohorts = new Cohorts(parts);
  const freshen = (id: string, signal: AbortSignal) => freshenCohort(parts, id, signal);
  const door = {
    freshen,
    find: async (id: string) => {
      const record = await cohorts.find(id);
      if (!record) return undefined;
      return {
        attributes: attributesOfCohort(record),
        projects: record.parts.map((part) => part.project_id),
        parts: record.parts.map((part) => part.id),
      };
    },
  };
  return {
    routes: [
      ...cohortRoutes({
        ...{ cohorts, freshen, projects, pages },
        freshenDay: (rows, signal) => freshenDay(parts, rows, signal),
      }),
      ...analyticsRoutes({ analytics, projects, cohorts: door, audit, countsMin: platform.config.countsMin }),
    ],
    freshenProject: (project, signal) => freshenProject(parts, project, signal),
  };
}
