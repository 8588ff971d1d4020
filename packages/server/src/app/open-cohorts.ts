import type { Engine } from '@ploidy/engine';
import type { Caller } from '../access/caller.ts';
import type { Pages } from '../api/paging.ts';
import type { AlsoNeeded, Route } from '../api/route.ts';
import { Analytics, analyticsRoutes } from '../domains/analysis/analytics/index.ts';
import { annotationChangeRoute } from '../domains/analysis/annotations/index.ts';
import {
  attributesOfCohort,
  Cohorts,
  cohortRoutes,
  groupOf,
  recountCohort,
  recountDay,
  recountProject,
} from '../domains/analysis/cohorts/index.ts';
import { layoutRoutes, MadeFiles, Study, studyRoutes } from '../domains/analysis/study/index.ts';
import type { Audit } from '../domains/audit/index.ts';
import { goneTopic, type ProjectRecord, type Projects } from '../domains/files/projects/index.ts';
import type { Lake, RowRights } from '../domains/lake/index.ts';
import type { Blobs } from '../platform/blobs/index.ts';
import type { Places } from '../platform/jobs/index.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Records } from '../platform/records/index.ts';
import type { Secrets } from '../platform/secrets/index.ts';

interface CohortPlatform {
  log: Logger;
  records: Records;
  blobs: Blobs;
  engine: Engine;
  secrets: Secrets;
  audit: Audit;
  queryPlaces: Places;
  lake: Lake;
  projects: Projects;
  pages: Pages;
  rights: RowRights;
}

interface OpenedCohorts {
  routes: Route[];
  cohorts: Cohorts;
  /** Updates the table `cohort` of a project before a statement reads it. */
  recountProject: (project: string, signal: AbortSignal) => Promise<void>;
  /** Finds the right that reading a cohort needs. */
  cohortNeeds: (id: string) => Promise<AlsoNeeded | undefined>;
  /** Lists the cohorts of a project that a caller may read as FHIR groups. */
  groupsOf: (project: ProjectRecord, caller: Caller) => Promise<{ id: string; data: string }[]>;
}

/** Cohorts of a project that are FHIR groups; the first by name. */
const groupsMax = 1000;

/** Composes cohorts and analytics. */
export function openCohorts(platform: CohortPlatform): OpenedCohorts {
  const { projects, pages } = platform;
  const analytics = new Analytics(platform);
  const deps = { ...platform, analytics, running: new Map() };
  const cohorts = new Cohorts(deps);
  const recount = (id: string, signal: AbortSignal) => recountCohort(deps, id, signal);
  const door = {
    recount,
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
  const study = new Study(analytics, new MadeFiles(platform.blobs));
  const forgetting = (work: Promise<void>): void =>
    void work.catch((error: unknown) => platform.log.error({ err: error }, 'kept rows were not removed'));
  platform.records.onChange(goneTopic, (topic) => forgetting(study.forget(topic.slice(goneTopic.length))));
  platform.records.onChange('access:', () => forgetting(study.forgetSome()));
  return {
    cohorts,
    routes: [
      ...cohortRoutes({
        ...{ cohorts, recount, projects, pages },
        recountDay: (rows, signal) => recountDay(deps, rows, signal),
      }),
      ...analyticsRoutes({ ...platform, analytics, cohorts: door }),
      ...studyRoutes({
        ...platform,
        ...{ study, cohorts: door },
        countsKey: platform.secrets.derive('study-counts'),
      }),
      annotationChangeRoute({
        ...{ ...platform, analytics },
        countsKey: platform.secrets.derive('annotation-counts'),
      }),
      ...layoutRoutes({ ...platform, cohorts: door }),
    ],
    groupsOf: async (project, caller) => {
      const page = { size: groupsMax, after: undefined };
      return (await cohorts.list(caller, project, '', page)).map((cohort) => groupOf(cohort));
    },
    recountProject: (project, signal) => recountProject(deps, project, signal),
    cohortNeeds: async (id) => {
      const record = await cohorts.find(id);
      return record && { operation: 'cohorts.read', attributes: attributesOfCohort(record) };
    },
  };
}
