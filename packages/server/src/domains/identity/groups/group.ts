import { Type } from 'typebox';
import type { ResourceAttributes } from '../../../access/resource.ts';
import { textOf } from '../../../api/shapes.ts';
import type { GroupsTable } from '../../../platform/records/schema.ts';

/** Group in API form. */
export interface GroupView {
  id: string;
  account: string;
  name: string;
  description: string;
  type: string;
}

export const groupShape = Type.Object(
  {
    id: textOf('Id of the group'),
    account: textOf('Id of the account'),
    name: Type.String({ description: 'Unique in the account, regardless of case' }),
    description: textOf('Free text for people; may be empty'),
    type: Type.String({ description: '`closed`, or `open`: members of the account may join it themselves' }),
  },
  { title: 'Group' },
);

export function groupView({ id, account_id, name, description, type }: GroupsTable): GroupView {
  return { id, account: account_id, name, description, type };
}

/** Returns the attributes that policies test of a group. */
export function groupAttributes(account: string, id: string): ResourceAttributes {
  return { account, type: 'group', id };
}
