import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Call, TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';

/** Resources whose text an answer must keep: digits of numbers, order of members. */
const kept =
  '{"resourceType":"Observation","id":"kept","meta":{"versionId":"3","lastUpdated":"2024-05-01T10:00:00.5Z"},' +
  '"status":"final","code":{"text":"Weight"},"subject":{"reference":"Patient/p-0"},"valueQuantity":{"value":70.50},' +
  '"text":{"status":"generated","div":"<div xmlns=\\"http://www.w3.org/1999/xhtml\\">70.50</div>"}}';
const foreign = {
  resourceType: 'Observation',
  id: 'r5',
  status: 'final',
  code: { text: 'x' },
  triggeredBy: [],
};

describeApp('the FHIR interface', (app) => {
  let project: TestProject;
  let base = '';
  let cohort = '';

  before(async () => {
    project = await TestProject.make(app.call, 'FHIR');
    await project.take('p.ndjson', fhirText('p', 3, 2));
    await project.take('kept.json', `${kept}\n${JSON.stringify(foreign)}\n`);
    const body = { name: 'Two', ownerProject: project.id, subjectIds: ['p-0', 'p-1'] };
    cohort = (await app.call('POST', '/v1/cohorts', { body })).body.id;
    base = `/${app.account}/v1/fhir/${project.id}`;
  });

  const get = (path: string, options = {}, call: Call = app.call) => call('GET', `${base}/${path}`, options);
  const entries = (
    { body }: Reply,
    mode = 'match',
  ): { resource: { id: string; [name: string]: unknown } }[] =>
    (body.entry ?? []).filter(({ search }: { search: { mode: string } }) => search.mode === mode);
  const ids = (reply: Reply, mode?: string) => entries(reply, mode).map(({ resource }) => resource.id);
  const next = ({ body }: Reply): string | undefined =>
    body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url;

  test('a resource is read as it was sent, with its version', async () => {
    const reply = await get('Observation/kept');
    assert.equal(reply.text, kept);
    assert.equal(reply.headers.get('content-type'), 'application/fhir+json; charset=utf-8');
    assert.equal(reply.headers.get('etag'), 'W/"3"');
    assert.equal(reply.headers.get('last-modified'), 'Wed, 01 May 2024 10:00:00 GMT');
    for (const known of ['W/"3"', '"3"', '3'])
      assert.equal((await get('Observation/kept', { headers: { 'if-none-match': known } })).status, 304);
    assert.equal((await get('Observation/kept', { headers: { 'if-none-match': 'W/"2"' } })).status, 200);
  });

  test('pages of a search have each match once, and the link between them is sealed', async () => {
    const found: string[] = [];
    let reply = await get('Observation?code=718-7&_sort=-value-quantity,patient&_count=2&_total=accurate');
    assert.equal(reply.body.total, 6);
    for (;;) {
      found.push(...ids(reply));
      const link = next(reply);
      if (link === undefined) break;
      assert.match(link, new RegExp(`^${app.address}${base}/Observation\\?_page=[\\w-]+$`));
      const path = link.slice(app.address.length);
      const other = await app.people.member(app.account, ['readData']);
      assert.equal((await app.call('GET', path, { key: other.key })).status, 400);
      assert.equal((await app.call('GET', path.replace('/Observation?', '/Patient?'))).status, 400);
      reply = await app.call('GET', path);
      assert.equal(reply.status, 200, reply.text);
    }
    assert.deepEqual(found, ['p-0-1', 'p-1-1', 'p-2-1', 'p-0-0', 'p-1-0', 'p-2-0']);
  });

  test('a form asks as an address does, and both count together', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await app.call('POST', `${base}/Observation/_search?patient=p-1`, {
      headers,
      body: 'code=http%3A%2F%2Floinc.org%7C718-7&date=ge2024-02-03&date=lt2024-02-04',
    });
    assert.deepEqual(ids(reply), ['p-1-0', 'p-1-1'], reply.text);
    assert.equal(
      (await app.call('POST', `${base}/Observation/_search`, { body: { code: 'x' } })).status,
      415,
    );
  });

  test('referenced and referring resources are included once, and count in no total', async () => {
    const forwards = await get('Observation?patient=p-1,p-2&_include=Observation:subject');
    assert.deepEqual([ids(forwards, 'include').sort(), forwards.body.total], [['p-1', 'p-2'], 4]);
    const backwards = await get('Patient?_id=p-1&_revinclude=Observation:subject');
    assert.deepEqual([ids(backwards), ids(backwards, 'include')], [['p-1'], ['p-1-0', 'p-1-1']]);
    const chained = await get('Observation?subject:Patient.birthdate=1970-05&_summary=count');
    assert.equal(chained.body.total, 7);
  });

  test('a part of a resource is tagged, and keeps mandatory elements and the digits of numbers', async () => {
    const [only] = entries(await get('Observation?_id=kept&_elements=value'));
    assert.deepEqual(Object.keys(only?.resource ?? {}), [
      'resourceType',
      'id',
      'meta',
      'status',
      'code',
      'valueQuantity',
    ]);
    const reply = await get('Observation?_id=kept&_summary=data');
    assert.match(reply.text, /"value":70\.50\}/);
    assert.match(reply.text, /"code":"SUBSETTED"/);
    assert.doesNotMatch(reply.text, /"text":\{"status"/);
    const summary = entries(await get('Observation?_id=kept&_summary=true'));
    assert.deepEqual(Object.keys(summary[0]?.resource ?? {}).sort(), [
      'code',
      'id',
      'meta',
      'resourceType',
      'status',
      'subject',
      'valueQuantity',
    ]);
  });

  test('a resource of another release is left out of pages, which report it, and can be read', async () => {
    const reply = await get('Observation?_id=r5,kept');
    assert.deepEqual(ids(reply), ['kept']);
    const [warning] = entries(reply, 'outcome');
    assert.match(JSON.stringify(warning), /without the form of FHIR R4.*: 1\./);
    assert.deepEqual((await get('Observation/r5')).body, foreign);
  });

  test('an unknown parameter is refused, or left out and named for a lenient client', async () => {
    const lenient = { headers: { prefer: 'handling=lenient' } };
    const reply = await get('Patient?gender=female&favourite=blue', lenient);
    assert.equal(reply.body.link[0].url, `${app.address}${base}/Patient?gender=female`);
    assert.match(JSON.stringify(entries(reply, 'outcome')), /favourite is no search parameter of Patient/);
    for (const name of ['favourite', '_text', '_filter', '_list']) {
      const strict = await get(`Patient?${name}=blue`);
      assert.deepEqual([strict.status, strict.body.resourceType], [400, 'OperationOutcome'], name);
    }
    assert.equal((await get('Patient?_totalMethod=count')).status, 200);
  });

  test('conditions follow references of other resources, to three, and compare parts of one element', async () => {
    const [all] = entries(await get('Patient?_id=p-1&_revinclude=Observation:patient'), 'include');
    assert.equal(all?.resource['resourceType'], 'Observation');
    const having = '_has:Observation:patient:code=718-7';
    assert.deepEqual(ids(await get(`Patient?${having}&_id=p-1`)), ['p-1']);
    assert.deepEqual(ids(await get('Patient?_has:Observation:patient:code=none')), []);
    assert.equal((await get(`Observation?patient._has:Observation:patient:_id=p-1-0`)).body.total, 2);
    assert.equal((await get('Observation?code-value-quantity=http://loinc.org|718-7$gt0')).body.total, 6);
    assert.equal((await get('Observation?code-value-quantity=718-7$lt0')).body.total, 0);
  });

  test('each error is an OperationOutcome with a code of FHIR and one of the service', async () => {
    const wrong: Record<string, [number, string, string]> = {
      'Patient/nobody': [404, 'not-found', 'NOT_FOUND'],
      'Nothing?x=1': [404, 'not-found', 'NOT_FOUND'],
      'Patient?birthdate=17.5.1970': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?birthdate=2023-02-29': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?gender:text=f': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?gender:in=f': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?identifier:of-type=x|1': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?_has:Observation:code:status=final': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?_has:Observation:subject:favourite=x': [400, 'invalid', 'INVALID_INPUT'],
      'Practitioner?_has:Observation:patient:status=final': [400, 'invalid', 'INVALID_INPUT'],
      'Observation?code-value-quantity=718-7': [400, 'invalid', 'INVALID_INPUT'],
      'Observation?code-value-quantity:missing=true': [400, 'invalid', 'INVALID_INPUT'],
      'Observation?_sort=code-value-quantity': [400, 'invalid', 'INVALID_INPUT'],
      'RiskAssessment?probability=0.5||mg': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?gender=x|female': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?_sort=favourite': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?_include=Observation:subject': [400, 'invalid', 'INVALID_INPUT'],
      'Observation?subject.gender=female': [400, 'invalid', 'INVALID_INPUT'],
      'Observation?subject:Patient.favourite=blue': [400, 'invalid', 'INVALID_INPUT'],
      'Observation?value-quantity=much': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?_page=forged': [400, 'invalid', 'INVALID_INPUT'],
      'Patient?_format=xml': [406, 'not-supported', 'NOT_ACCEPTABLE'],
      [`Patient?name=${'x'.repeat(7000)}`]: [400, 'invalid', 'INVALID_INPUT'],
    };
    for (const [path, [status, code, diagnostics]] of Object.entries(wrong)) {
      const reply = await get(path);
      assert.equal(reply.status, status, `${path}: ${reply.text}`);
      assert.equal(reply.headers.get('content-type'), 'application/fhir+json; charset=utf-8');
      const [issue] = reply.body.issue;
      assert.deepEqual([issue.severity, issue.code, issue.diagnostics], ['error', code, diagnostics], path);
    }
    assert.equal((await get('Patient', { key: undefined })).body.issue[0].code, 'login');
    assert.equal((await get('Patient/p-0/nothing/else')).body.issue[0].code, 'not-found');
  });

  test('a write is answered with the way to go, by which a Bundle arrives', async () => {
    const statement = (await get('metadata')).body.rest[0];
    assert.equal(statement.resource[0].readHistory, false);
    const writes = ['PUT Patient/p-0', 'DELETE Patient/p-0', 'PATCH Patient/p-0', 'POST Patient'];
    for (const [method = '', path] of writes.map((one) => one.split(' '))) {
      const reply = await app.call(method, `${base}/${path}`, { body: { resourceType: 'Patient' } });
      assert.deepEqual([reply.status, reply.body.issue[0].code], [405, 'not-supported'], method);
      for (const text of [reply.text, statement.documentation])
        assert.match(text, /POST a Bundle to the base, or POST \/v1\/files with/);
      assert.equal(reply.headers.get('allow'), 'GET, HEAD');
    }
    const file = { name: 'sent.json', datasetId: project.id, ingest: true };
    const { uploadUrl } = (await app.call('POST', '/v1/files', { body: file })).body;
    const resource = { resourceType: 'Practitioner', id: 'sent' };
    const entry = [{ resource, request: { method: 'PUT', url: 'Practitioner/sent' } }];
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
    assert.equal((await fetch(uploadUrl, { method: 'PUT', body })).status, 200);
    await until(async () => (await get('Practitioner/sent')).status === 200, 'the Bundle is ingested');
    assert.deepEqual((await get('Practitioner/sent')).body, resource);
  });

  test('everything of a patient is there, and nothing of another', async () => {
    const reply = await get('Patient/p-0/$everything');
    assert.deepEqual(ids(reply), ['kept', 'p-0-0', 'p-0-1', 'p-0']);
    assert.deepEqual(ids(await get('Patient/p-0/$everything?_type=Patient')), ['p-0']);
    const paged = await get('Patient/p-0/$everything?_count=3');
    assert.deepEqual(ids(paged), ['kept', 'p-0-0', 'p-0-1']);
    assert.deepEqual(ids(await app.call('GET', (next(paged) ?? '').slice(app.address.length))), ['p-0']);
    assert.equal((await get('Patient/p-0/$everything?start=2024')).status, 400);
    assert.equal((await get('Patient/nobody/$everything')).status, 404);
  });

  test('cohorts are groups of those who may read them', async () => {
    const group = {
      resourceType: 'Group',
      id: cohort,
      active: true,
      type: 'person',
      actual: true,
      name: 'Two',
      quantity: 2,
      member: ['p-0', 'p-1'].map((id) => ({ entity: { reference: `Patient/${id}` } })),
    };
    assert.deepEqual((await get(`Group/${cohort}`)).body, group);
    assert.deepEqual(ids(await get('Group?member=Patient/p-1')), [cohort]);
    assert.deepEqual(ids(await get('Group?member=Patient/p-2')), []);
    assert.deepEqual(ids(await get(`Patient?_has:Group:member:_id=${cohort}`)), ['p-0', 'p-1']);
    assert.deepEqual(ids(await get(`Group?_id=${cohort}&_include=Group:member`), 'include'), ['p-0', 'p-1']);
    assert.deepEqual(ids(await get('Group?type=person&actual=true')), [cohort]);
    const rule = { 'resource.subject': { comparison: 'equals', value: 'p-1' } };
    const some = await app.people.member(app.account, ['readData'], rule);
    assert.deepEqual(ids(await get('Group', { key: some.key })), []);
  });

  test('a caller of some patients sees theirs, in every way of asking; one of masked values theirs alone', async () => {
    const rule = { 'resource.subject': { comparison: 'equals', value: 'p-1' } };
    const { key } = await app.people.member(app.account, ['readData'], rule);
    const own = ['p-1-0', 'p-1-1'];
    assert.deepEqual(ids(await get('Observation', { key })), own);
    assert.equal((await get('Observation?_summary=count', { key })).body.total, 2);
    assert.deepEqual(ids(await get('Patient?_revinclude=Observation:subject', { key }), 'include'), own);
    assert.deepEqual(ids(await get('Observation?subject:Patient.gender=female', { key })), own);
    for (const path of ['Patient/p-0', 'Observation/p-0-0', 'Patient/p-0/$everything'])
      assert.equal((await get(path, { key })).status, 404);
    const mixed = await app.people.member(app.account, ['readMaskedData']);
    const policy = {
      rules: { readData: [{ 'user.id': { comparison: 'equals', value: mixed.userId }, ...rule }] },
    };
    assert.equal((await app.call('POST', '/v1/policies', { body: { name: 'Mixed', policy } })).status, 200);
    await until(async () => (await get('Patient', { key: mixed.key })).status === 200, 'the policy counts');
    assert.deepEqual(ids(await get('Observation', { key: mixed.key })), own);
    const masked = await app.people.member(app.account, ['readMaskedData']);
    assert.equal((await get('Patient', { key: masked.key })).body.total, 3);
    for (const path of ['Patient/p-0', 'Patient/p-0/$everything'])
      assert.equal((await get(path, { key: masked.key })).status, 404);
    const none = await app.people.member(app.account, ['createData']);
    assert.equal((await get('Patient', { key: none.key })).status, 403);
  });

  test('ids that an ingestion gave a prefix are those of resources and their references', async () => {
    const other = await TestProject.make(app.call, 'Prefixed');
    await other.take('p.ndjson', fhirText('q', 1, 1), { idPrefix: 'site-' });
    const at = (path: string) => app.call('GET', `/${app.account}/v1/fhir/${other.id}/${path}`);
    const read = (await at('Observation/site-q-0-0')).body;
    assert.deepEqual([read.id, read.subject], ['site-q-0-0', { reference: 'Patient/site-q-0' }]);
    assert.deepEqual(ids(await at('Observation?patient=site-q-0')), ['site-q-0-0']);
    assert.deepEqual(ids(await at('Observation?subject=site-q-0')), ['site-q-0-0']);
    assert.deepEqual(ids(await at('Patient?_revinclude=Observation:subject'), 'include'), ['site-q-0-0']);
    assert.deepEqual(ids(await at('Observation?_include=Observation:subject'), 'include'), ['site-q-0']);
  });

  test('callers without a credential read the search parameters and the addresses of the sign-in', async () => {
    const { body } = await get('metadata', { key: undefined });
    const patient = body.rest[0].resource.find(({ type }: { type: string }) => type === 'Patient');
    const names = patient.searchParam.map(({ name }: { name: string }) => name);
    for (const name of ['_id', '_lastUpdated', 'birthdate', 'identifier', 'name'])
      assert.ok(names.includes(name), name);
    assert.deepEqual(
      patient.operation.map(({ name }: { name: string }) => name),
      ['everything', 'export'],
    );
    const smart = (await get('.well-known/smart-configuration', { key: undefined })).body;
    const [addresses] = body.rest[0].security.extension;
    const authorize = addresses.extension.find(({ url }: { url: string }) => url === 'authorize');
    assert.equal(authorize.valueUri, smart.authorization_endpoint);
    const nowhere = await app.call('GET', '/nobody/v1/fhir/nothing/metadata', { key: undefined });
    assert.deepEqual(nowhere.body, body);
  });
});
