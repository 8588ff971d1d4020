import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { refuseOtherProfile } from '../../../access/only-account.ts';
import { Answer, type Located, type Route, route } from '../../../api/route.ts';
import { idParam } from '../../../api/shapes.ts';
import { readInteger } from '../../../base/numbers.ts';
import { invalidInput, Problem } from '../../../base/problem.ts';
import { isImageType } from './image-type.ts';
import { locatedUser, requireOneself } from './oneself.ts';
import { type Pictures, pictureBytesMax, unsupportedImage } from './pictures.ts';
import { usernameShape } from './user-view.ts';
import type { User } from './users.ts';

const tag = 'Users';
const path = '/v1/users/:username/picture';
const params = Type.Object({ username: usernameShape });
const pictureShape = Type.Object({
  downloadUrl: Type.String({ format: 'uri', description: 'Needs no credentials; valid for a limited time' }),
});

interface PictureRouteDeps {
  pictures: Pictures;
  /** Finds a user whom the caller may see, by name. */
  visible: (caller: Caller, username: string) => Promise<User | undefined>;
}

type LocateUser = (
  input: { params: { username: string } },
  account: string,
  caller: Caller,
) => Promise<Located<User> | undefined>;

/** Routes of /v1/users/{username}/picture, and of its bytes. */
export function pictureRoutes({ pictures, visible }: PictureRouteDeps): Route[] {
  const locate: LocateUser = async ({ params }, _account, caller) =>
    locatedUser(caller, await visible(caller, params.username));
  return [
    route({
      method: 'GET',
      path,
      operation: 'users.readPicture',
      tag,
      summary: "Get the address of a user's picture",
      description: 'Your picture, or that of a user who shares an account with you.',
      params,
      answers: { 200: { schema: pictureShape, description: 'The address' } },
      locate,
      handle: async ({ resource, caller }) => ({
        downloadUrl: pictures.downloadUrl(await pictures.of(resource.id), caller),
      }),
    }),
    putRoute(pictures, locate),
    route({
      method: 'DELETE',
      path,
      operation: 'users.writePicture',
      tag,
      summary: 'Remove your picture',
      params,
      answers: { 204: { description: 'Removed' } },
      locate,
      handle: async ({ resource, caller, requestId }) => {
        requireOneself(caller, resource);
        refuseOtherProfile(caller);
        await pictures.remove({ caller, requestId });
        return new Answer(204);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/transfers/pictures/:id',
      operation: 'transfers.picture',
      tag,
      summary: 'Get the bytes of a picture (its `downloadUrl`)',
      params: idParam,
      query: Type.Object({
        by: Type.Optional(Type.String()),
        expires: Type.Optional(Type.String()),
        signature: Type.Optional(Type.String()),
      }),
      answers: { 200: { description: 'The bytes', contentType: 'image/*' } },
      handle: ({ params, url, method }) => pictures.serve(params.id, { url, method }),
    }),
  ];
}

function putRoute(pictures: Pictures, locate: LocateUser): Route {
  return route({
    method: 'PUT',
    path,
    operation: 'users.writePicture',
    tag,
    summary: 'Set your picture',
    description:
      'The body is the image: PNG, JPEG, WebP or GIF, at most 5 MiB, with its `Content-Type`. It replaces the previous one.',
    params,
    headers: ['Content-Length'],
    streamsBody: true,
    answers: { 200: { schema: pictureShape, description: 'The address' } },
    locate,
    handle: async ({ resource, caller, requestId, headers, stream, signal }) => {
      const size = announcedSize(headers);
      const by = { caller, requestId };
      requireOneself(caller, resource);
      refuseOtherProfile(caller);
      const picture = await pictures.put({ stream, size, signal }, by);
      return { downloadUrl: pictures.downloadUrl(picture, caller) };
    },
  });
}

/** What the headers must say before a byte is taken. Answers the size in bytes. */
function announcedSize(headers: Record<string, string | string[] | undefined>): number {
  const { 'content-type': type, 'content-length': length } = headers;
  if (typeof type !== 'string' || type === '') {
    throw invalidInput([{ path: 'headers/content-type', message: 'is missing: name the type of the image' }]);
  }
  if (!isImageType(type)) throw unsupportedImage();
  if (typeof length !== 'string') {
    throw new Problem(411, 'LENGTH_REQUIRED', 'Send the size of the image in Content-Length.');
  }
  const size = readInteger(length, { min: 0, max: pictureBytesMax });
  if (size === undefined) {
    throw new Problem(
      413,
      'TOO_LARGE',
      `At most ${pictureBytesMax} bytes are accepted: send a smaller image.`,
    );
  }
  return size;
}
