/** Query plans of SQLite for every statement that a service sends: few rows hide slow plans. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { queueCompactions } from '../../packages/server/src/domains/lake/catalogue/compaction.ts';
import { type Asked, asked } from '../isolation/catalogue.ts';
import { type Household, householdSettings, openHousehold } from '../isolation/world.ts';
import { openTestApp, type Reply, type TestApp } from '../support/app.ts';
import { quickJobs } from '../support/jobs.ts';
import { onSqlite } from '../support/records.ts';
import { untilRemoved } from '../support/removals.ts';
import { until } from '../support/until.ts';
import { judged } from './exceptions.ts';
import { filtersOf, searchesOf } from './lists.ts';
import { explain, faultsOf } from './plans.ts';
import { noteStatements } from './statements.ts';

let noted: ReturnType<typeof noteStatements>;
/** Statements of migrations; each runs once. */
const ofMigrations = new Set<string>();
let app: TestApp;
let house: Household;
before(async () => {
  noted = noteStatements();
  await onSqlite(async ({ open, settings }) => {
    await (await open()).close();
    for (const statement of noted.statementsIn(settings.folder)) ofMigrations.add(statement);
  });
  app = await openTestApp(householdSettings);
  house = await openHousehold(app, 'victim');
});
after(async () => {
  noted?.stop();
  await app?.stop();
});

/** Statements sent so far. */
const sent = (): string[] =>
  noted.statementsIn(app.folder).filter((statement) => !ofMigrations.has(statement));
const lastSweep = /^delete from "idempotency_keys" where "created_at"/;
const pathOf = ({ name }: Asked): string => name.split(' ')[1] ?? '';
const lists = asked.filter(({ route }) => {
  return route.method === 'GET' && 'nextPageToken' in (Reflect.get(route.query ?? {}, 'properties') ?? {});
});
const searches = asked.filter((one) => one.route.method === 'POST' && pathOf(one).endsWith('/search'));

test('every list and every search of the API is asked here', () => {
  assert.deepEqual(Object.keys(filtersOf(house.ids)).sort(), lists.map(pathOf).sort());
  assert.deepEqual(Object.keys(searchesOf(house.ids)).sort(), searches.map(pathOf).sort());
});

/** Asks each list in every way, and for its second page. */
async function askLists(key: string, look: (reply: Reply, path: string) => void): Promise<void> {
  const { ids, call } = house;
  for (const one of lists) {
    const [path] = one.case.ask(ids).path.split('?');
    for (const filter of filtersOf(ids)[pathOf(one)] ?? []) {
      const reply = await call('GET', `${path}?${filter}&pageSize=1`, { key });
      look(reply, `${path}?${filter}`);
      if (reply.body.links?.next) look(await call('GET', reply.body.links.next, { key }), `${path}, next`);
    }
  }
  for (const one of searches) {
    const { path } = one.case.ask(ids);
    for (const filter of searchesOf(ids)[pathOf(one)] ?? []) {
      const body = { ...filter, pageSize: 1 };
      const reply = await call('POST', path, { key, body });
      look(reply, `${path} ${JSON.stringify(filter)}`);
      const { nextPageToken: pageToken } = reply.body;
      if (pageToken) look(await call('POST', path, { key, body: { ...body, pageToken } }), `${path}, next`);
    }
  }
}

test('no list, read, sweep, claim or removal step scans or sorts rows outside its result', async () => {
  const { ids, call, owner } = house;
  await askLists(owner.key, ({ status, text }, path) => assert.equal(status, 200, `${path}: ${text}`));
  const projects = [ids.project, ids.otherProject];
  const bound = { 'resource.dataset': { comparison: 'in', value: projects } };
  const member = await app.people.member(owner.account, ['readData', 'createData', 'readMaskedData'], bound);
  await askLists(member.key, ({ status, text }, path) => assert.ok(status < 500, `${path}: ${text}`));
  for (const one of asked.filter(({ route }) => route.method === 'GET')) {
    const { status, text } = await call('GET', one.case.ask(ids).path);
    assert.ok(status < 500, `${one.name}: ${text}`);
  }
  await until(async () => sent().some((statement) => lastSweep.test(statement)), 'the first sweeps are over');
  const { records } = app.people;
  await queueCompactions(records, quickJobs(records), { filesMin: 8, rowsMax: 1_000_000 });
  await remove('project', ids.project, `/v1/projects/${ids.project}?force=true`);
  await remove('account', owner.account, `/v1/accounts/${owner.account}?force=true`);
  const { schema, plans } = explain(join(app.folder, 'records.sqlite'), sent());
  const all = plans.map(({ statement, steps }) => `${statement} ${steps.join(' ')}`);
  for (const known of [
    lastSweep,
    /^select .* from "lakes" inner join "projects" .* where "version" > "compacted_version"/,
    /^select .* from "files" .* union all .* order by "size" desc.*MERGE.*files_owner_size.*files_size/,
    /^delete from "files" where "project_id" \|\| '' = \?/,
    /^with recursive heads /,
    // The catalogue of the lake by what is visible, its sweep by what is due and what runs: what is retired or has ended makes neither slower.
    /^select "table_name", sum\(.* as "version" from "lake_files" .* SEARCH lake_files USING INDEX lake_files_visible \(project_id=/,
    /^select "id", "project_id" from "lake_files" .* SEARCH lake_files USING INDEX lake_files_key \(key=\?\)$/,
    /^select "table_name", "key", .* SEARCH lake_files USING INDEX lake_files_visible \(project_id=\?\)$/,
    /^select .* from "lake_files" .* union all .* lake_files_visible \(project_id=\? AND table_name=.* lake_files_left \(project_id=\? AND table_name=/,
    /^select .* from "lake_files" as "s" .* INDEX lake_files_retired /,
    /^select .* from "segments" as "s" .* INDEX segments_retired .* queries_state \(project_id=\? AND state=.* queries_few_started_at/,
    /^select .* from "annotated_segments" as "a" .* annotated_segments_few_retired_at .* queries_state \(project_id=\? AND state=/,
  ])
    assert.ok(
      all.some((one) => known.test(one)),
      `${known} was not sent`,
    );
  const { unexcused, needless } = judged(plans.flatMap((plan) => faultsOf(plan, schema)));
  assert.deepEqual(unexcused, []);
  assert.deepEqual(needless, []);
});

async function remove(kind: 'project' | 'account', id: string, path: string): Promise<void> {
  const { status, text } = await house.call('DELETE', path);
  assert.equal(status, 204, text);
  await untilRemoved(app.people.records, kind, id);
}

test('a walk, a sort for one page, and a search without its project are found', () => {
  const schema = { tables: new Set(['files', 'jobs']), partialIndexes: new Set(['jobs_running']) };
  const found = (statement: string, step: string): boolean =>
    faultsOf({ statement, steps: [step] }, schema).length === 1;
  const sort = 'USE TEMP B-TREE FOR ORDER BY';
  assert.ok(found('select * from "files" as "f" where size > ?', 'SCAN f'));
  assert.ok(found('select * from "files"', 'SCAN files USING COVERING INDEX files_size'));
  assert.ok(!found('select * from "jobs" where state = 1', 'SCAN jobs USING INDEX jobs_running'));
  assert.ok(!found('with recursive level as (…) select * from level', 'SCAN level'));
  assert.ok(found('select * from "files" where "id" > ? order by "size" limit ?', sort));
  assert.ok(!found('select * from "files" where "project_id" = ? order by "size"', sort));
  const byAccount = 'SEARCH files USING INDEX files_account (account_id=? AND name_key>?)';
  assert.ok(found('select * from "files" where "account_id" = ? and "project_id" = ?', byAccount));
  assert.ok(!found('select * from "files" where "account_id" = ? and "name_key" > ?', byAccount));
  const removal = 'delete from "files" where "project_id" = ? and "id" in (select "id" from "files" limit 9)';
  assert.ok(found(removal, 'SEARCH files USING COVERING INDEX files_size (project_id=?)'));
  assert.ok(!found(removal, 'SEARCH files USING INDEX sqlite_autoindex_files_1 (id=?)'));
});
