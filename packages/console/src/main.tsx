import '@mantine/core/styles.css';
import '@mantine/dropzone/styles.css';
import '@mantine/notifications/styles.css';
import './style.css';
import { Badge, createTheme, MantineProvider, Notification } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client.ts';
import { returnPlace } from './api/session.ts';
import { router } from './router.tsx';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A request that was refused once is refused again.
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
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

const place = location.pathname === '/' ? returnPlace() : undefined;
if (place !== undefined) history.replaceState(null, '', place);
createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <QueryClientProvider client={queries}>
      <Notifications />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
