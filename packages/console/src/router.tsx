import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { Empty, ErrorAlert } from './shell/Feedback.tsx';
import { Shell } from './shell/Shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <Empty title="There is no such page">Choose one on the left.</Empty>,
});

type Search = Record<string, string | undefined>;

/** The parameters of an address that are texts. */
const texts = (search: Record<string, unknown>): Search =>
  Object.fromEntries(
    Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );

const page = <P extends string>(path: P, load: () => Promise<{ Page: () => React.ReactNode }>) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: texts,
    component: lazyRouteComponent(load, 'Page'),
  });

const routeTree = root.addChildren([
  page('/', () => import('./pages/home/Home.tsx')),
  page('/projects/$project', () => import('./pages/overview/Overview.tsx')),
  page('/projects/$project/subjects', () => import('./pages/subjects/Subjects.tsx')),
  page('/projects/$project/subjects/$patient', () => import('./pages/subject/Subject.tsx')),
  page('/projects/$project/variants', () => import('./pages/variants/Variants.tsx')),
  page('/projects/$project/cohorts', () => import('./pages/cohorts/Cohorts.tsx')),
  page('/projects/$project/sql', () => import('./pages/sql/Sql.tsx')),
  page('/projects/$project/files', () => import('./pages/files/Files.tsx')),
  page('/projects/$project/genome', () => import('./pages/genome/Genome.tsx')),
  page('/account/people', () => import('./pages/people/People.tsx')),
  page('/account/connections', () => import('./pages/connections/Connections.tsx')),
  page('/account/work', () => import('./pages/work/Work.tsx')),
  page('/account/audit', () => import('./pages/audit/Audit.tsx')),
  page('/me', () => import('./pages/me/Me.tsx')),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  // Parameters are texts as written, so that addresses can be read and typed.
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
