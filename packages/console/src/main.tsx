import '@mantine/core/styles.css';
import '@mantine/dropzone/styles.css';
import '@mantine/notifications/styles.css';
import './style.css';
import { Badge, createTheme, MantineProvider, Notification } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { at } from './api/place.ts';
import { isUnreachable, noteUnreachable } from './api/reachable.ts';
import { closeSignInWindow, returnPlace } from './api/session.ts';
import { leaveEndedView } from './api/view.ts';
import { mainColour, restColour } from './design/palette.ts';
import { router } from './router.tsx';

const noteFailure = (error: Error): void => {
  if (isUnreachable(error)) noteUnreachable();
  leaveEndedView(error);
};
const Notifications = lazy(() => import('./shell/notifications.ts'));
const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteFailure }),
  mutationCache: new MutationCache({ onError: noteFailure }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The client repeats what may succeed later.
      retry: false,
    },
  },
});
// Contrast of text on the filled colour: at least 4.5 to 1 (WCAG 2.2, 1.4.3).
const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: { light: 9, dark: 9 },
  defaultRadius: 'md',
  components: {
    // Names in badges keep their letters.
    Badge: Badge.extend({ defaultProps: { tt: 'none' } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
  },
});

closeSignInWindow();
const place = location.pathname === at('/') ? returnPlace() : undefined;
if (place !== undefined) history.replaceState(null, '', place);
document.documentElement.style.setProperty('--chart-main', mainColour);
document.documentElement.style.setProperty('--chart-rest', restColour);
createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <QueryClientProvider client={queries}>
      <Suspense>
        <Notifications />
      </Suspense>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
