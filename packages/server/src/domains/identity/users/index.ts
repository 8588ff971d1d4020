export {
  attributesByAccount,
  attributesByUser,
  type CustomAttributes,
  faultsInAttributes,
  removeAttributes,
  storeAttributes,
  userRemovers,
} from './attributes.ts';
export { type By, locatedUser, requireOneself } from './oneself.ts';
export { pictureRoutes } from './picture-routes.ts';
export { Pictures } from './pictures.ts';
export { Profiles } from './profiles.ts';
export { userRoutes } from './routes.ts';
export { fullView, limitedView, userFields, usernameShape, userShape } from './user-view.ts';
export {
  createUser,
  findNamesakes,
  findUser,
  findUserById,
  lockUser,
  ownEmail,
  type Profile,
  proveEmail,
  storeProfile,
  toUser,
  type User,
  userQuery,
} from './users.ts';
