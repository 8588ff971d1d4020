export {
  addMember,
  createDefaultGroups,
  type DefaultGroups,
  findGroup,
  findGroupById,
  type Group,
  keepGroup,
} from './groups.ts';
export { accountsOf, isMember } from './membership.ts';
