import { Notifications } from '@mantine/notifications';

/** Messages in a corner of the page. */
export function Notices() {
  return <Notifications />;
}
