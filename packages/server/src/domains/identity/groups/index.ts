export { type GroupView, groupAttributes, groupShape, groupView } from './group.ts';
export { Groups } from './groups.ts';
export {
  accountsOf,
  addMember,
  findMember,
  findUserFor,
  isMember,
  leaveGroup,
  lockAccount,
  lockGroup,
  tryLockAccount,
} from './membership.ts';
export { groupRoutes } from './routes.ts';
export {
  createDefaultGroups,
  findGroup,
  findGroupById,
  type Group,
  groupRemovers,
  isInGroup,
  listOwnGroups,
} from './store.ts';
