export {
  addMember,
  createDefaultGroups,
  type DefaultGroups,
  findGroup,
  findGroupById,
  type Group,
  keepGroup,
} from './groups.ts';
export { groupRemovers } from './removal.ts';
