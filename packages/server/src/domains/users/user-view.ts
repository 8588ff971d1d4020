import { Type } from '../../schema.ts';
import type { User } from './users.ts';

/** A user as the API shows him: all of it, or what others see. */
export interface UserView {
  id: string;
  type: string;
  profile: {
    email?: string;
    familyName?: string;
    givenName?: string;
    name?: string;
    picture?: string;
    preferredUsername?: string;
  };
}

export const userFields = {
  id: Type.String(),
  type: Type.String(),
  profile: Type.Object({
    email: Type.Optional(
      Type.String({ description: 'E-mail address, maybe of this host only (`admin@localhost`)' }),
    ),
    familyName: Type.Optional(Type.String()),
    givenName: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    picture: Type.Optional(
      Type.String({
        description: 'Where to ask for the picture, relative to the server; absent without one',
      }),
    ),
    preferredUsername: Type.Optional(Type.String()),
  }),
};

export const userShape = Type.Object(userFields, { title: 'User' });

/** A path parameter that names a user. */
export const usernameShape = Type.String({
  minLength: 1,
  maxLength: 320,
  description: 'Id or e-mail address of a user',
});

/** For himself, and for whoever manages the people of an account. */
export function fullView({ id, type, email, profile }: User): UserView {
  return { id, type, profile: { email, ...profile } };
}

/** For the others who share an account with him. */
export function limitedView({ id, type, profile: { name, picture, preferredUsername } }: User): UserView {
  return {
    id,
    type,
    profile: {
      ...(name !== undefined && { name }),
      ...(picture !== undefined && { picture }),
      ...(preferredUsername !== undefined && { preferredUsername }),
    },
  };
}
