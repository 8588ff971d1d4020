import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { untilSwept } from '../crash/disk.ts';
import type { MortalService } from '../crash/mortal-service.ts';
import { until } from '../support/until.ts';
import type { Client } from './client.ts';
import type { OneLife } from './life.ts';
import { type Held, heldBy, orphansOf } from './resources.ts';

const lookEveryMs = 100;
/** Time without progress after which it hangs. */
const stuckMs = 90_000;
/** Heap growth in bytes that is no leak: the collector returns memory late. */
const residentGrowthMaxBytes = 80 * 2 ** 20;
const twoDaysS = 2 * 86_400;

/** Lists unfinished work with its progress; empty when all is done. */
const underWay = `
  select 'job ' || kind || ' ' || state || ' ' || attempts as what from jobs where state in ('queued', 'running')
  union all select 'merging ' || project_id || ' ' || version from lakes where version > compacted_version
  union all select 'removal ' || id || ' ' || counts from removals where state <> 'done'
  union all select 'ingestion ' || id || ' ' || bytes_done from ingestions where state in ('queued', 'running')`;

/** Waits until the service has nothing left to do. Fails when it stops getting on. */
export async function untilQuiet(service: MortalService): Promise<void> {
  let [last, movedAt] = ['', performance.now()];
  for (;;) {
    const left = (await service.rows(underWay)).map(({ what }) => String(what)).sort();
    if (left.length === 0) return;
    const now = left.join('\n');
    if (now !== last) [last, movedAt] = [now, performance.now()];
    if (performance.now() - movedAt > stuckMs) throw new Error(`This does not get on:\n${now}`);
    await delay(lookEveryMs);
  }
}

/** Asserts that the service holds no more than before, once it had the time to let go. */
export async function assertLetGo(service: MortalService, before: Held): Promise<void> {
  let now = heldBy(service);
  const isBack = (): boolean => {
    now = heldBy(service);
    const grown = now.residentBytes - before.residentBytes;
    return now.handles.length <= before.handles.length && grown <= residentGrowthMaxBytes;
  };
  try {
    await until(isBack, 'memory and handles are back');
  } catch (error) {
    throw new Error(`The service held ${described(before)}, and holds ${described(now)}`, { cause: error });
  }
}

function described({ residentBytes, handles }: Held): string {
  const counts = new Map<string, number>();
  for (const one of handles.map((name) => name.replace(/\d+(?=\]$)/, '')))
    counts.set(one, (counts.get(one) ?? 0) + 1);
  const list = [...counts].map(([name, count]) => `${count} × ${name}`).sort();
  return `${Math.round(residentBytes / 2 ** 20)} MiB and ${handles.length} handles (${list.join(', ')})`;
}

/** Asserts that each acknowledged change is in the audit log, and nothing else. */
export async function assertAudited(service: MortalService, clients: Client[]): Promise<void> {
  const rows = await service.rows(
    `select user_id, action, count(*) as events from audit_events where outcome = 'done' and via <> 'job' group by 1, 2`,
  );
  for (const { name, person, changes } of clients) {
    for (const [action, { sure, unsure }] of changes) {
      const row = rows.find((one) => one['user_id'] === person.userId && one['action'] === action);
      const events = Number(row?.['events'] ?? 0);
      if (sure <= events && events <= sure + unsure) continue;
      const message = `${name}: ${sure} acknowledgements of ${action}, and ${unsure} requests without an answer`;
      const found = await service.rows(
        `select at, via, request_id, resource_id from audit_events where user_id = '${person.userId}' and action = '${action}'`,
      );
      assert.fail(
        `${message}; the log has ${events}:\n${found.map((one) => JSON.stringify(one)).join('\n')}`,
      );
    }
  }
}

/** Asserts that no file, row or process is left of interrupted or removed work. */
export async function assertNothingLeft(life: OneLife): Promise<void> {
  const { service } = life;
  await life.die(async () => {
    makeOlder(join(service.folder, 'blobs'));
    // Another process may still write what shared records expect: only the day that passes lets the sweep remove it.
    if (!service.settings['PLOIDY_DATABASE_URL']) return;
    await service.rows("update blob_intents set expires_at = 0 where kind = 'write'");
    await service.rows('delete from duties');
  });
  await untilSwept(service);
  await until(() => orphansOf(service).length === 0, 'no process of an earlier life works on');
  // Work that was taken up again (merging, filling) has a folder until it ends.
  await until(() => unknownFiles(service.folder).length === 0, 'only known files are left').catch(
    () => undefined,
  );
  assert.deepEqual(unknownFiles(service.folder), [], 'files that no row names');
  assert.deepEqual(await rowsOfRemoved(service), [], 'rows of removed projects');
}

function makeOlder(path: string): void {
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) makeOlder(join(path, name));
  const at = Date.now() / 1000 - twoDaysS;
  utimesSync(path, at, at);
}

/** Lists files of the data folder that docs/operate/first-run.md does not name. */
function unknownFiles(folder: string): string[] {
  const known =
    /^(records\.sqlite(-wal|-shm)?|server\.(lock(-journal)?|log)|first-run\.json|blobs|scratch|secrets|outbox|cache)$/;
  const inFolder = (name: string, fits: RegExp): string[] => {
    const path = join(folder, name);
    const names = existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];
    return names.filter((one) => !fits.test(one)).map((one) => join(name, one));
  };
  return [
    ...readdirSync(folder).filter((name) => !known.test(name)),
    ...inFolder('secrets', /^master\.key$/),
    ...inFolder('outbox', /\.eml$/),
    ...inFolder('blobs', /^([0-9a-f]{2}(.[0-9a-f]{32})?|scratch|holds|owner)$/),
  ];
}

const tablesOfProjects = [
  'files',
  'segments',
  'uploads',
  'ingestions',
  'queries',
  'lakes',
  'cohorts',
  'readgroup_sets',
];

async function rowsOfRemoved(service: MortalService): Promise<string[]> {
  const removed = `select id from removals where kind = 'project'`;
  const selects = tablesOfProjects.map(
    (table) => `select '${table} ' || project_id as what from ${table} where project_id in (${removed})`,
  );
  return (await service.rows(selects.join(' union all '))).map(({ what }) => String(what));
}
