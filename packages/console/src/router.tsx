import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { at } from './api/place.ts';
import { loadPart } from './api/reachable.ts';
import { searchNames } from './pages/oncoprint/settings.ts';
import { Empty, ErrorAlert } from './shell/Feedback.tsx';
import { Shell } from './shell/Shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <Empty title="Page not found">Choose a page in the menu.</Empty>,
});

/** A page with the parameters of its address, strings as written; others are left out. */
const page = <P extends string, N extends string = never>(
  path: P,
  load: () => Promise<{ Page: () => React.ReactNode }>,
  ...names: N[]
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: (search: Record<string, unknown>): { [K in N]?: string } =>
      Object.fromEntries(
        names.map((name) => [name, search[name]]).filter(([, value]) => typeof value === 'string'),
      ),
    component: lazyRouteComponent(() => loadPart(load), 'Page'),
  });

/** Address of the list of subjects before it became a part of the study; leads a cohort and the list to it. */
const movedSubjects = createRoute({
  getParentRoute: () => root,
  path: '/projects/$project/subjects',
  validateSearch: ({ cohort }: Record<string, unknown>): { cohort?: string } =>
    typeof cohort === 'string' ? { cohort } : {},
  beforeLoad: ({ params, search: { cohort } }) => {
    const filter = cohort ? JSON.stringify([{ is: { cohort } }]) : undefined;
    throw redirect({ to: '/projects/$project', params, search: { view: 'subjects', filter }, replace: true });
  },
});

const routeTree = root.addChildren([
  page('/', () => import('./pages/home/Home.tsx')),
  page(
    '/projects/$project',
    () => import('./pages/study/Study.tsx'),
    'filter',
    'view',
    'charts',
    'unit',
    'tour',
  ),
  movedSubjects,
  page('/projects/$project/subjects/$patient', () => import('./pages/subject/Subject.tsx'), 'beside'),
  page(
    '/projects/$project/variants',
    () => import('./pages/variants/Variants.tsx'),
    'gene',
    'region',
    'consequence',
    'significance',
    'frequency',
    'sample',
    'change',
    'view',
  ),
  page('/projects/$project/oncoprint', () => import('./pages/oncoprint/Oncoprint.tsx'), ...searchNames),
  page('/projects/$project/cohorts', () => import('./pages/cohorts/Cohorts.tsx')),
  page(
    '/projects/$project/timed',
    () => import('./pages/timed/Timed.tsx'),
    'timed',
    'event',
    'filter',
    'cohort',
  ),
  page(
    '/projects/$project/compare',
    () => import('./pages/compare/Compare.tsx'),
    'groups',
    'overlap',
    'unit',
    'tab',
    'endpoint',
    'landmarks',
    'kind',
  ),
  page(
    '/projects/$project/plots',
    () => import('./pages/plots/Plots.tsx'),
    'x',
    'y',
    'colour',
    'logs',
    'filter',
    'unit',
  ),
  page('/projects/$project/reports', () => import('./pages/reports/Reports.tsx'), 'report'),
  page('/projects/$project/sql', () => import('./pages/sql/Sql.tsx'), 'sql', 'saved'),
  page('/projects/$project/files', () => import('./pages/files/Files.tsx'), 'prefix', 'tab', 'month', 'type'),
  page('/projects/$project/genome', () => import('./pages/genome/Genome.tsx'), 'locus', 'tracks', 'sample'),
  page('/projects/$project/connect', () => import('./pages/connect/Connect.tsx')),
  page('/account/people', () => import('./pages/people/People.tsx'), 'tab', 'project'),
  page('/account/connections', () => import('./pages/connections/Connections.tsx')),
  page('/account/work', () => import('./pages/work/Work.tsx')),
  page('/account/health', () => import('./pages/health/Health.tsx')),
  page(
    '/account/audit',
    () => import('./pages/audit/Audit.tsx'),
    'from',
    'to',
    'user',
    'action',
    'resource',
    'outcome',
  ),
  page('/me', () => import('./pages/me/Me.tsx')),
]);

export const router = createRouter({
  routeTree,
  basepath: at('/'),
  defaultPreload: 'intent',
  // Parameters are strings as written, so that addresses can be read and typed.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter((pair): pair is [string, string] => Boolean(pair[1]));
    return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  },
  defaultErrorComponent: ({ error }: ErrorComponentProps) => <ErrorAlert error={error as Error} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
