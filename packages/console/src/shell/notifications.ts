/** Messages in a corner of the page, which loads without them. */
export { Notifications as default } from '@mantine/notifications';
