import { Type } from 'typebox';
import { optionalText, referenceOf, textOf } from '../../../api/shapes.ts';
import type { User } from './users.ts';

/** User in API form: full, or limited as for other users. */
interface UserView {
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
  id: textOf('Id of the user'),
  type: textOf('`person`, or `client`: the user of an OAuth client'),
  profile: Type.Object(
    {
      email: Type.Optional(
        Type.String({ description: 'E-mail address, possibly of this host only (`admin@localhost`)' }),
      ),
      familyName: optionalText('Family name'),
      givenName: optionalText('Given name'),
      name: optionalText('Full name'),
      picture: Type.Optional(referenceOf('Path of the picture; absent without one')),
      preferredUsername: optionalText('Name by which the user wants to be called'),
    },
    { description: 'Fields without a value are absent; of other users only the public ones' },
  ),
};

export const userShape = Type.Object(userFields, { title: 'User' });

/** Path parameter that names a user. */
export const usernameShape = Type.String({
  minLength: 1,
  maxLength: 320,
  description: 'Id or e-mail address of a user',
});

/** Returns all fields: for the user, and for managers of the account's members. */
export function fullView({ id, type, email, profile }: User): UserView {
  return { id, type, profile: { email, ...profile } };
}

/** Returns limited fields: for others who share an account with the user. */
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
