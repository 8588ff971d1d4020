export { type GroupView, groupAttributes, groupShape, groupView } from './group.ts';
export {
  addMember,
  createDefaultGroups,
  type DefaultGroups,
  findGroup,
  findGroupById,
  type Group,
  keepGroup,
  lockAccount,
} from './groups.ts';
export { accountsOf, isMember } from './membership.ts';
export { groupRemovers } from './removal.ts';
export { groupRoutes } from './routes.ts';
export { Groups } from './service.ts';
export { isInGroup, listOwnGroups } from './store.ts';
