import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../test/support/app.ts';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import { Audit, type AuditEvent } from './audit.ts';
import { type EventFilter, readEvents } from './log.ts';

interface Item {
  sequence: number;
  at: string;
  user?: { id: string; email?: string };
  via: string;
  action: string;
  resource: { type: string; id?: string; datasetId?: string };
  outcome: string;
  details?: Record<string, unknown>;
  requestId?: string;
  hash: string;
}

describeApp('reading the audit log', (app) => {
  let project: string;
  let file: string;

  const read = (query = '', key = app.key): Promise<Reply> =>
    app.call('GET', `/v1/audit-events?pageSize=1000${query}`, { key });
  const items = async (query = ''): Promise<Item[]> => (await read(query)).body.items;
  const actions = async (query = '') => (await items(query)).map(({ action }) => action);

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Read' } })).body.id;
    file = await app.put(project, 'a.txt', 'bytes');
    await app.call('GET', `/v1/files/${file}`);
  });

  // asvs: 16.2.1
  test('events are listed newest first, with actor, action and outcome; reading them is an event', async () => {
    const [newest, ...rest] = await items();
    assert.equal(newest?.action, 'audit.read');
    const gotten = rest.find(({ action }) => action === 'files.read');
    assert.deepEqual(gotten?.resource, { type: 'file', id: file, datasetId: project });
    assert.equal(gotten?.user?.email, 'admin@localhost');
    assert.match(gotten?.via ?? '', /^apiKey:/);
    assert.match(gotten?.hash ?? '', /^[0-9a-f]{64}$/);
    const numbers = rest.map(({ sequence }) => sequence);
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => other - one),
    );
    assert.equal(newest?.sequence, numbers.length + 1);
  });

  test('each filter is exact', async () => {
    const [{ user } = {}] = await items('&action=files.read');
    assert.ok((await actions('&action=files.')).every((action) => action.startsWith('files.')));
    assert.ok((await actions('&action=files.')).includes('files.upload'));
    assert.deepEqual(new Set(await actions('&action=files.read')), new Set(['files.read']));
    assert.deepEqual(await actions('&action=files'), []);
    for (const resource of [file, `file:${file}`]) {
      const of = await items(`&resource=${resource}`);
      assert.ok(of.length >= 3 && of.every(({ resource: { id } }) => id === file));
    }
    assert.deepEqual(await items(`&resource=query:${file}`), []);
    for (const who of [user?.id, 'ADMIN@localhost'])
      assert.ok((await actions(`&user=${who}`)).includes('files.read'));
    assert.deepEqual(await items('&user=nobody@x'), []);
    assert.deepEqual(await items('&outcome=refused'), []);
    const both = await actions(`&user=${user?.id}&action=projects.create&outcome=done&resource=${project}`);
    assert.deepEqual(both, ['projects.create']);
  });

  test('from is inclusive, to is exclusive', async () => {
    const [one] = await items('&action=files.read');
    const at = one?.at ?? '';
    const later = new Date(Date.parse(at) + 1).toISOString();
    const zone = at.replace('Z', '%2B00:00');
    const within = await items(`&action=files.read&from=${at}&to=${later}`);
    assert.ok(within.some(({ sequence }) => sequence === one?.sequence));
    assert.ok(!(await items(`&from=${later}`)).some(({ sequence }) => sequence === one?.sequence));
    assert.ok(!(await items(`&to=${zone}`)).some(({ sequence }) => sequence === one?.sequence));
    for (const wrong of [
      '2026',
      '2026-02-30',
      'yesterday',
      '2026-01-01T00:00:00',
      '2026-13-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
    ]) {
      const refused = await read(`&from=${wrong}`);
      assert.deepEqual([refused.status, refused.body.details[0].path], [400, 'query/from'], wrong);
    }
    assert.equal((await read('&outcome=perhaps')).status, 400);
  });

  test('pages are complete while events are added', async () => {
    const whole = await items('&action=files.');
    const seen: number[] = [];
    let path = '/v1/audit-events?action=files.&pageSize=2';
    while (path) {
      const { body } = await app.call('GET', path);
      seen.push(...body.items.map(({ sequence }: Item) => sequence));
      await app.put(project, `late-${seen.length}.txt`, 'x');
      path = body.links.next ?? '';
    }
    assert.deepEqual(
      seen,
      whole.map(({ sequence }) => sequence),
    );
  });

  test('reading needs auditRead; refusals are logged, those of handlers included', async () => {
    const member = await app.people.member(app.account, ['readData']);
    const auditor = await app.people.member(app.account, ['auditRead']);
    assert.equal((await read('', member.key)).status, 403);
    assert.equal((await read('', auditor.key)).status, 200);
    const query = (
      await app.call('POST', '/v1/analytics/data-lake/query', {
        body: { query: 'SELECT 1', datasetId: project, outputFileName: 'one.csv' },
      })
    ).body.queryId;
    const path = `/v1/analytics/data-lake/query/${query}`;
    assert.equal((await app.call('DELETE', path, { key: member.key })).status, 403);
    const refused = await items(`&outcome=refused&user=${member.userId}`);
    assert.deepEqual(
      refused.map(({ action, resource }) => `${action} ${resource.id}`),
      [`lake.cancel ${query}`, `audit.read ${app.account}`],
    );
    await until(async () => (await app.call('GET', path)).body.state !== 'running', 'the query ends');
    assert.deepEqual((await actions(`&resource=query:${query}`)).sort(), [
      'lake.cancel',
      'lake.query',
      'lake.run',
    ]);
    await app.call('GET', path, { key: member.key });
    assert.equal((await actions(`&resource=query:${query}`))[0], 'lake.history');
  });

  test('a download by a signed address is an event of the user who requested the address', async () => {
    const { downloadUrl } = (await app.call('GET', `/v1/files/${file}?include=downloadUrl`)).body;
    assert.equal(await (await fetch(downloadUrl)).text(), 'bytes');
    const [event] = await items('&action=transfers.download');
    assert.deepEqual(
      [event?.resource.id, event?.user?.email, event?.via],
      [file, 'admin@localhost', 'signature'],
    );
    assert.match(String(event?.details?.credential), /^apiKey:/);
    assert.equal((await fetch(downloadUrl.replace(/by=apiKey/, 'by=grant'))).status, 403);
    assert.equal((await items('&action=transfers.download')).length, 1);
  });

  test('the chain is verified in parts over HTTP; a changed event is named', async () => {
    const verify = async (after = 0) =>
      (await app.call('GET', `/v1/audit-events/verification?after=${after}`)).body;
    const first = await verify();
    assert.deepEqual(Object.keys(first), ['verified', 'total']);
    assert.ok(first.verified >= 3 && first.verified === first.total, JSON.stringify(first));
    assert.equal((await verify(first.verified)).verified, first.verified + 1);
    assert.equal((await verify(1_000_000)).brokenAt, 1_000_000);
    const { key } = await app.people.member(app.account, ['readData']);
    assert.equal((await app.call('GET', '/v1/audit-events/verification', { key })).status, 403);
    const change = (action: string) =>
      app.people.records.transact((tx) =>
        tx
          .updateTable('audit_events')
          .set({ action })
          .where('account_id', '=', app.account)
          .where('sequence', '=', 2)
          .execute(),
      );
    const { action } = (await items()).find(({ sequence }) => sequence === 2) as Item;
    await change('files.forged');
    assert.equal((await verify()).brokenAt, 2);
    await change(action);
    assert.equal((await verify()).brokenAt, undefined);
  });
});

testOnRecords('filters of a big log match a full scan, page by page', async ({ open }) => {
  const records = await open();
  const audit = new Audit(records);
  const names = ['files.read', 'files.create', 'filesystem', 'lake.run', 'policies.update'];
  for (let at = 0; at < 3000; at += 500) {
    await records.transact(async (tx) => {
      for (let more = 0; more < 500; more++) await audit.append(tx, eventOf(at + more, names));
    });
  }
  // Several in one millisecond, and a clock that was set back.
  await records.transact(async (tx) => {
    await tx.updateTable('audit_events').set({ at: 1000 }).where('sequence', '<', 400).execute();
    await tx.updateTable('audit_events').set({ at: 500 }).where('sequence', 'in', [2000, 2001]).execute();
  });
  const all = await records.read
    .selectFrom('audit_events')
    .selectAll()
    .where('account_id', '=', 'a')
    .execute();
  all.sort((one, other) => other.at - one.at || other.sequence - one.sequence);
  const { signal } = new AbortController();
  const middle = all[1000]?.at ?? 0;
  const filters: Omit<EventFilter, 'account'>[] = [
    {},
    { from: 501, to: middle },
    { action: 'files.' },
    { action: 'files.read', outcome: 'refused' },
    { outcome: 'refused', from: middle },
    { userIds: ['u1'] },
    { userIds: ['u1'], action: 'lake.run', outcome: 'refused' },
    { resource: { id: 'r3' }, userIds: ['u2'] },
    { resource: { type: 'file', id: 'r3' } },
    { userIds: ['u0', 'u2'], action: 'policies.', to: middle },
    { action: 'nothing.' },
  ];
  for (const filter of filters) {
    const { from = 0, to = Number.MAX_SAFE_INTEGER, action, outcome, userIds, resource } = filter;
    const wanted = all.filter(
      (row) =>
        row.at >= from &&
        row.at < to &&
        (!action || (action.endsWith('.') ? row.action.startsWith(action) : row.action === action)) &&
        (!outcome || row.outcome === outcome) &&
        (!userIds || userIds.includes(row.user_id ?? '')) &&
        (!resource ||
          (row.resource_id === resource.id && row.resource_type === (resource.type ?? row.resource_type))),
    );
    const seen: number[] = [];
    for (let after: [number, number] | undefined; ; ) {
      const rows = await readEvents(records.read, { account: 'a', ...filter }, { size: 70, after }, signal);
      const page = rows.slice(0, 70);
      seen.push(...page.map(({ sequence }) => sequence));
      const last = page.at(-1);
      if (rows.length <= 70 || !last) break;
      after = [last.at, last.sequence];
    }
    assert.deepEqual(
      seen,
      wanted.map(({ sequence }) => sequence),
      JSON.stringify(filter),
    );
  }
});

function eventOf(at: number, names: string[]): AuditEvent {
  return {
    account: at % 10 === 9 ? 'b' : 'a',
    userId: `u${at % 3}`,
    via: 'test',
    // One of them is no action of the service: a prefix without a dot must not match it.
    action: names[at % names.length] as AuditEvent['action'],
    resource: { type: at % 2 === 0 ? 'file' : 'query', id: `r${at % 7}` },
    outcome: at % 11 === 0 ? 'refused' : 'done',
  };
}
