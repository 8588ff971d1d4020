export {
  addMember,
  createDefaultGroups,
  type DefaultGroups,
  findGroup,
  findGroupById,
  type Group,
  keepGroup,
} from './groups.ts';
export { isMember } from './membership.ts';
