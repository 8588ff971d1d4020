/** Apps of SMART App Launch 2.2 that a user starts for one patient (`launch/patient`, scopes `patient/`). */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { addresses } from '../../../../../../test/isolation/catalogue.ts';
import { describeOnSqlite, type Reply } from '../../../../../../test/support/app.ts';
import { TokenFlow, tokenPath } from '../../authentication/oauth/tests/token-flow.fixture.ts';
import { FormBrowser, type Shown } from '../../authentication/sign-in/tests/form-browser.fixture.ts';
import {
  callback,
  makeClient,
  pkce,
  postForm,
  signedIn,
} from '../../authentication/sign-in/tests/signed-in.fixture.ts';

const patients = ['one', 'two', 'three'];
const others = ['two', 'three'];

/** Resources of each patient that also name the other patients, and resources of no patient. */
const lines = [
  ...patients.flatMap((id, at) => {
    const subject = { reference: `Patient/${id}` };
    const next = { reference: `Patient/${patients[(at + 1) % 3]}` };
    return [
      {
        resourceType: 'Patient',
        id,
        gender: 'female',
        name: [{ family: `F-${id}` }],
        link: [{ other: next, type: 'seealso' }],
      },
      {
        ...{ resourceType: 'Observation', id: `o-${id}`, status: 'final', code: { text: 'x' }, subject },
        performer: [next, { reference: 'Practitioner/d' }],
      },
      { resourceType: 'Condition', id: `c-${id}`, subject, asserter: next },
      { resourceType: 'Flag', id: `f-${id}`, status: 'active', code: {}, subject, author: next },
    ];
  }),
  { resourceType: 'Practitioner', id: 'd' },
  { resourceType: 'Flag', id: 'of-place', status: 'active', code: {}, subject: { reference: 'Location/a' } },
];

describeOnSqlite('apps for one patient', (app) => {
  let project: TestProject;
  let base = '';
  let client: { id: string };
  let flow: TokenFlow;
  let cohort = '';
  let token = '';
  const scope = 'openid offline_access launch/patient patient/*.rs';

  before(async () => {
    project = await TestProject.make(app.call, 'One patient');
    await project.take('all.ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    base = `/${app.account}/v1/fhir/${project.id}`;
    const body = { name: 'All', ownerProject: project.id, subjectIds: patients };
    cohort = (await app.call('POST', '/v1/cohorts', { body })).body.id;
    client = await makeClient(app, {
      allowedScopes: ['openid', 'offline_access', 'patient/*.rs', 'user/*.rs'],
    });
    flow = await TokenFlow.open(app);
    token = (await launched(flow.cookie)).body.access_token;
  });

  const get = (path: string, key = `Bearer ${token}`): Promise<Reply> =>
    app.call('GET', `${base}/${path}`, { key, account: undefined });

  /** Opens the page of a launch in the browser of a signed-in user. */
  async function open(cookie: string, more: Record<string, string> = {}) {
    const browser = new FormBrowser(app.address);
    const [name = '', value = ''] = cookie.split('=');
    browser.cookies.set(name, value);
    const { verifier, challenge } = pkce();
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: client.id, redirect_uri: callback, scope },
      ...{ aud: `${app.address}${base}`, ...challenge, ...more },
    });
    return { browser, verifier, page: await browser.open(`/v1/oauth/authorize?${query}`) };
  }
  const exchange = (shown: Shown, verifier: string): Promise<Reply> => {
    const code = new URL(shown.location ?? '', app.address).searchParams.get('code') ?? '';
    return flow.exchange(client.id, code, verifier);
  };

  /** Launches the app for a patient whom the user chooses. */
  async function launched(
    cookie: string,
    patient = 'one',
    more: Record<string, string> = {},
  ): Promise<Reply> {
    const { browser, verifier, page } = await open(cookie, more);
    const chosen = await browser.submit(page, '/v1/oauth/patient', { patient });
    const reply = await exchange(chosen, verifier);
    assert.equal(reply.status, 200, reply.text);
    return reply;
  }

  test('a user who sees several patients chooses one, and the answers with tokens name it', async () => {
    const { browser, page } = await open(flow.cookie);
    assert.equal(page.status, 200);
    for (const id of patients) assert.match(page.text, new RegExp(`<option value="${id}">F-${id}</option>`));
    const wrong = await browser.submit(page, '/v1/oauth/patient', { patient: 'nobody' });
    assert.deepEqual([wrong.status, /no patient with this id/.test(wrong.text)], [400, true]);
    const elsewhere = new FormBrowser(app.address);
    const [name = '', value = ''] = flow.cookie.split('=');
    elsewhere.cookies.set(name, value);
    const stale = await elsewhere.submit(page, '/v1/oauth/patient', { patient: 'one' });
    assert.deepEqual([stale.status, stale.location], [400, undefined]);
    const reply = await launched(flow.cookie, 'two');
    assert.deepEqual(
      [reply.body.patient, reply.body.scope],
      ['two', 'openid offline_access patient/*.rs launch/patient'],
    );
    const form = {
      grant_type: 'refresh_token',
      client_id: client.id,
      refresh_token: reply.body.refresh_token,
    };
    const again = await postForm(app, tokenPath, form);
    assert.equal(again.body.patient, 'two', again.text);
    assert.equal((await get('Patient/two', `Bearer ${again.body.access_token}`)).status, 200);
    assert.equal((await get('Patient/one', `Bearer ${again.body.access_token}`)).status, 404);
  });

  test('a user who sees one patient is not asked, and one who sees none gets no code', async () => {
    const rule = { 'resource.subject': { comparison: 'equals', value: 'three' } } as const;
    const some = await app.people.member(app.account, ['readData'], rule);
    const { page, verifier } = await open(await signedIn(app, some.userId));
    const reply = await exchange(page, verifier);
    assert.equal(reply.body.patient, 'three', reply.text);
    const none = await app.people.member(app.account, ['createData']);
    const errorOf = ({ page: { location = '' } }: { page: Shown }) =>
      new URL(location).searchParams.get('error');
    assert.equal(errorOf(await open(await signedIn(app, none.userId))), 'access_denied');
    assert.equal(errorOf(await open(flow.cookie, { prompt: 'none' })), 'interaction_required');
  });

  test('a reader of masked values chooses among masked ids, and reads that patient', async () => {
    const masked = await app.people.member(app.account, ['readMaskedData']);
    const cookie = await signedIn(app, masked.userId);
    const { page } = await open(cookie);
    const ids = [...page.text.matchAll(/<option value="([^"]+)">/g)].map(([, id = '']) => id);
    assert.ok(ids.length === 3 && !ids.some((id) => patients.includes(id)), page.text);
    const own = (await launched(cookie, ids[0])).body.access_token;
    const found = await get('Observation', `Bearer ${own}`);
    assert.equal(found.body.entry.length, 1);
    assert.equal(found.body.entry[0].resource.subject.reference, `Patient/${ids[0]}`);
  });

  test('any search finds for the token what it finds for a reader of that patient alone', async () => {
    const rule = { 'resource.subject': { comparison: 'equals', value: 'one' } } as const;
    const { key } = await app.people.member(app.account, ['readData'], rule);
    const types = ['Patient', 'Observation', 'Condition', 'Flag', 'Practitioner', 'Group'];
    const named = fc.constantFrom(...patients.map((id) => `Patient/${id}`));
    const parts = fc.oneof(
      named.map((one) => `patient=${one}`),
      named.map((one) => `performer=${one}`),
      named.map((one) => `_id=${one.slice(8)}`),
      fc.constantFrom(
        ...['_include=Observation:performer', '_include=Observation:subject', '_include=Condition:asserter'],
        ...['_revinclude=Flag:author', '_revinclude=Observation:performer', '_revinclude=Group:member'],
        ...['_summary=count', '_total=accurate', '_sort=-_id', '_count=1', 'subject:missing=true'],
        ...['performer:Patient.gender=female', '_has:Observation:performer:status=final', 'code:not=y'],
        ...['link:Patient._id=two', 'patient.name=F', '_has:Group:member:_id=x'],
      ),
    );
    const searches = fc.tuple(fc.constantFrom(...types), fc.uniqueArray(parts, { maxLength: 2 }));
    const paths = [
      ...[...patients, 'd'].flatMap((id) => ['Patient', 'Practitioner'].map((type) => `${type}/${id}`)),
      ...patients.flatMap((id) => [
        `Observation/o-${id}`,
        `Flag/f-${id}/_history`,
        `Patient/${id}/$everything`,
      ]),
      ...['Flag/of-place', `Group/${cohort}`, 'Patient/two/$everything?_type=Patient'],
      ...fc
        .sample(searches, { numRuns: 90, seed: 53 })
        .map(([type, all]) => `${type}?${[...all, '_format=json'].join('&')}`),
    ];
    let [answers, shown] = [0, 0];
    for (const path of paths) {
      const [mine, theirs] = await Promise.all([get(path), get(path, key)]);
      assert.equal(mine.status, theirs.status, `${path}: ${mine.text}`);
      if (mine.status !== 200) continue;
      // Links have seals of their own.
      const plain = ({ text }: Reply) => text.replace(/_page=[\w-]+/g, '');
      assert.equal(plain(mine), plain(theirs), path);
      const { entry = [] }: { entry?: { resource: { id: string } }[] } = mine.body;
      for (const { resource } of entry) assert.ok(!others.some((id) => resource.id?.endsWith(id)), path);
      answers += 1;
      shown += entry.length;
    }
    assert.ok(answers > 40 && shown > 30, `${answers} answers, ${shown} resources`);
  });

  test('a page belongs to the token, and scopes of one type to this type', async () => {
    const first = await get('Observation?_count=1&_sort=_id', app.key);
    const { url } = first.body.link.find(({ relation }: { relation: string }) => relation === 'next');
    const path = url.slice(`${app.address}${base}/`.length);
    assert.equal((await get(path)).status, 400);
    const narrow = await launched(flow.cookie, 'one', {
      scope: 'patient/Observation.rs?status=final patient/Patient.r',
    });
    const key = `Bearer ${narrow.body.access_token}`;
    assert.deepEqual(
      (await get('Observation', key)).body.entry.map(
        ({ resource }: { resource: { id: string } }) => resource.id,
      ),
      ['o-one'],
    );
    for (const [asked, status] of [
      ['Patient/one', 200],
      ['Patient/two', 404],
      ['Patient', 403],
      ['Condition', 403],
    ] as const)
      assert.equal((await get(asked, key)).status, status, asked);
  });

  test('no other door opens for the token, and no export', async () => {
    const prefer = { prefer: 'respond-async' };
    const begun = await app.call('GET', `${base}/$export`, { headers: prefer });
    const state = (begun.headers.get('content-location') ?? '').slice(`${app.address}${base}/`.length);
    assert.equal((await get(state)).status, 404, 'an export of the same user');
    for (const path of ['$export', 'Patient/$export', `Group/${cohort}/$export`]) {
      const reply = await app.call('GET', `${base}/${path}`, { key: `Bearer ${token}`, headers: prefer });
      assert.equal(reply.status, 403, path);
    }
    let closed = 0;
    for (const { name, route } of addresses) {
      const needsCaller = route.operation && !route.smart;
      const [method = '', address = ''] = name.split(' ');
      if (!needsCaller || method !== 'GET') continue;
      const path = address
        .replace(':account', app.account)
        .replace(/:(project|id)\b/, project.id)
        .replace(/:\w+/g, 'x');
      const options = { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' } as const;
      const reply = await fetch(`${app.address}${path}`, options);
      const anybody = await fetch(`${app.address}${path}`, { redirect: 'manual' });
      await Promise.all([reply.arrayBuffer(), anybody.arrayBuffer()]);
      assert.equal(reply.status, anybody.status, `${name} opens for the token`);
      if (reply.status === 401) closed += 1;
    }
    assert.ok(closed > 80, `${closed} closed`);
  });
});
