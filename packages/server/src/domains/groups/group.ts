import type { ResourceAttributes } from '../../access/resource.ts';
import type { GroupsTable } from '../../platform/records/schema.ts';
import { Type } from '../../schema.ts';

/** A group as the API shows it. */
export interface GroupView {
  id: string;
  account: string;
  name: string;
  description: string;
  type: string;
}

export const groupShape = Type.Object(
  {
    id: Type.String(),
    account: Type.String(),
    name: Type.String({ description: 'Unique in the account, without regard to case' }),
    description: Type.String(),
    type: Type.String({ description: '`closed`, or `open`: members of the account may join it themselves' }),
  },
  { title: 'Group' },
);

export function groupView({ id, account_id, name, description, type }: GroupsTable): GroupView {
  return { id, account: account_id, name, description, type };
}

/** What policies may ask of a group. */
export function groupAttributes(account: string, id: string): ResourceAttributes {
  return { account, type: 'group', id };
}
