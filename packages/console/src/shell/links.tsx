import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  createPolymorphicComponent,
  Menu,
  type MenuItemProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type Link<P> = P & Omit<ComponentProps<'a'>, keyof P>;

/** A link to a page, with the parameters of its address. */
export const AnchorLink = createLink((props: Link<AnchorProps>) => <Anchor {...props} />);

/** A link to a page that looks like a button. */
export const ButtonLink = createLink((props: Link<ButtonProps>) => <Button component="a" {...props} />);

const Item = createPolymorphicComponent<'a', MenuItemProps>(Menu.Item);

/** A link to a page in a menu. */
export const MenuItemLink = createLink((props: Link<MenuItemProps>) => <Item component="a" {...props} />);
