/** Preloaded into a process (`--import`), gives it one more step, beside which the present version works. */
import { sql } from 'kysely';
import {
  type Migration,
  migrations,
} from '../../../packages/server/src/platform/records/migrations/index.ts';

const present = Object.keys(migrations).sort().at(-1) ?? '';

Object.assign(migrations, {
  '9999-later': {
    up: async (db) => {
      await sql`alter table files add column later text`.execute(db);
    },
    beside: present,
  } satisfies Migration,
});
