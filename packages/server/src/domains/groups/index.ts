export { createDefaultGroups, type DefaultGroups } from './default-groups.ts';
export { type GroupView, groupAttributes, groupShape, groupView } from './group.ts';
export { Groups } from './groups.ts';
export {
  accountsOf,
  addMember,
  findMember,
  findUserFor,
  holdAccount,
  isMember,
  keepGroup,
  lockAccount,
} from './membership.ts';
export { groupRemovers } from './removal.ts';
export { groupRoutes } from './routes.ts';
export { findGroup, findGroupById, type Group, isInGroup, listOwnGroups } from './store.ts';
