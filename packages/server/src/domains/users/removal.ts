import { type Remover, rowsOf } from '../deletion/index.ts';

/** What of an account's removal is about its people: what it said of them. They themselves, and their pictures, stay. */
export const userRemovers: readonly Remover[] = [rowsOf('account', 'user_attributes', { key: 'user_id' })];
