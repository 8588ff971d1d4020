export { addMember, createDefaultGroups, type DefaultGroups, findGroup } from './groups.ts';
