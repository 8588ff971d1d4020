import { createPolymorphicComponent, Tabs } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

const Tab = createPolymorphicComponent<'a', { value: string }>(Tabs.Tab);

/** A tab that is a link, so that its address can be shared. */
export const TabLink = createLink((props: ComponentProps<'a'> & { value: string }) => (
  <Tab component="a" {...props} />
));
