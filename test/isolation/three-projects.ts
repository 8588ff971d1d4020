import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Reply } from '../support/app.ts';
import { until } from '../support/until.ts';
import { refused, run } from './attacks.ts';
import { type Asked, asked } from './catalogue.ts';
import { differences, type Sender, type World, withoutProject } from './people.ts';
import { tracesOf } from './world.ts';

const query = '/v1/analytics/data-lake/query';

/** Tests of a member with all rights in one project, masked values in another, and nothing in a third. */
export function threeProjectTests(world: World): void {
  let member: Sender;
  /** Projects with all rights and with masked access. The third is that of `world.victim.ids`. */
  let own: string;
  let masked: string;
  /** A file in the masked project. */
  let file: string;

  before(async () => {
    const { call, mark } = world.victim;
    own = (await call('POST', '/v1/projects', { body: { name: `Own of ${mark}` } })).body.id;
    masked = (await call('POST', '/v1/projects', { body: { name: `Masked ${mark}` } })).body.id;
    const patient = { resourceType: 'Patient', id: mark, gender: 'female', name: [{ family: mark }] };
    for (const project of [masked, own]) {
      const id = project === own ? 'own-rows' : mark;
      const begun = await call('POST', '/v1/files', { body: { name: `${id}.ndjson`, datasetId: project } });
      const lines = `${JSON.stringify({ ...patient, id, name: [{ family: id }] })}\n`;
      await fetch(begun.body.uploadUrl, { method: 'PUT', body: lines });
      const body = { datasetId: project, fileId: begun.body.id, type: 'fhir' };
      const ingestion = (await call('POST', '/v1/ingestions', { body })).body.id;
      const state = async () => (await call('GET', `/v1/ingestions/${ingestion}`)).body.state;
      await until(async () => (await state()) === 'succeeded', 'the rows of a project');
      if (project === masked) file = begun.body.id;
    }
    const inOwn = { 'resource.dataset': { comparison: 'equals', value: own } };
    const privileges = ['readData', 'createData', 'updateData', 'deleteData'] as const;
    const person = await world.app.people.member('victim', [...privileges], inOwn);
    const rule = {
      'user.id': { comparison: 'equals', value: person.userId },
      'resource.dataset': { comparison: 'equals', value: masked },
    };
    const policy = { name: `Masked for ${person.userId}`, policy: { rules: { readMaskedData: [rule] } } };
    assert.equal((await call('POST', '/v1/policies', { body: policy })).status, 200);
    member = { key: person.key, account: 'victim' };
  });

  const ask = (method: string, path: string, body?: object): Promise<Reply> => {
    world.tally.tries++;
    return world.app.call(method, path, { ...member, ...(body && { body }) });
  };

  /** Returns a statement's answer as text: its refusal, or its error and its result. */
  async function answerTo(statement: string, datasetId: string): Promise<{ state: string; text: string }> {
    const started = await ask('POST', query, { datasetId, query: statement, outputFileName: 'out.csv' });
    if (started.status !== 200) return { state: String(started.status), text: started.text };
    const { queryId } = started.body;
    const read = () => world.app.call('GET', `${query}/${queryId}`, member);
    await until(async () => (await read()).body.state !== 'running', statement);
    const { body } = await read();
    const result = await world.app.call('GET', `/v1/files/${queryId}`, member);
    return {
      state: body.state,
      text: `${JSON.stringify(body.error)} ${result.status === 200 ? result.text : ''}`,
    };
  }

  function note(found: string[]): void {
    world.tally.leaks.push(...found);
    assert.deepEqual(found, []);
  }

  test('a project without rights is unknown to a member on every route that asks for a right', async () => {
    const routes = asked.filter(({ needs }) => Array.isArray(needs));
    const expected = (one: Asked) => withoutProject(world, one);
    assert.deepEqual(await differences(world, member, routes, expected), []);
  });

  test('a member with masked access gets neither bytes nor real values, and statements are masked', async () => {
    const { mark } = world.victim;
    const found: string[] = [];
    for (const [method, path, body] of [
      ['GET', `/v1/files/${file}`],
      ['GET', `/v1/files/${file}?include=downloadUrl`],
      ['DELETE', `/v1/files/${file}`],
      ['POST', '/v1/files', { name: 'x', datasetId: masked }],
      ['POST', '/v1/ingestions', { datasetId: masked, fileId: file }],
      ['POST', '/v1/cohorts', { name: 'x', ownerProject: masked }],
    ] as const) {
      const { status, text } = await ask(method, path, body);
      if (status !== 403 || text.includes(mark)) found.push(`${method} ${path}: ${status} ${text}`);
    }
    for (const body of [
      { target: 'patient', options: { fields: ['gender'] } },
      { target: 'patient', domain: 'count' },
    ]) {
      const { status, text } = await ask('POST', '/v1/analytics/dsl', { datasetId: masked, query: body });
      if (status !== 200 || text.includes(mark)) found.push(`dsl: ${status} ${text}`);
    }
    const rows = await answerTo('SELECT * FROM patient', masked);
    if (rows.state !== 'succeeded' || rows.text.includes(mark)) found.push(rows.text);
    for (const statement of run.slice(1, 4)) {
      const { text } = await answerTo(statement, masked);
      if (text.includes(mark)) found.push(`${statement} → ${text}`);
    }
    note(found);
  });

  test('no statement in the project of a member names a table, a file or an id of other projects', async () => {
    const { ids, mark } = world.victim;
    const things = [
      ids.project,
      masked,
      file,
      ids.file,
      ids.query,
      ids.cohort,
      ids.readGroupSet,
      `${mark}.ndjson`,
    ];
    const named = things.flatMap((id) => [
      `SELECT * FROM "${id}"`,
      `SELECT * FROM '${id}'`,
      `SELECT * FROM "${id}".patient`,
      `SELECT * FROM main."${id}.patient"`,
      `SELECT * FROM read_parquet('${id}')`,
    ]);
    const running = [
      `SELECT * FROM cohort WHERE cohort_id = '${ids.cohort}'`,
      `SELECT * FROM patient WHERE patient_id = '${mark.slice(0, 4)}' || '${mark.slice(4)}'`,
      'SELECT *, filename FROM patient',
    ];
    const aimed = refused.map((one) => one.replaceAll(/FILE|SEGMENT|BLOBS|OTHER/g, () => ids.project));
    const found: string[] = [];
    for (const statement of [...named, ...aimed]) {
      const { status, text } = await ask('POST', query, {
        datasetId: own,
        query: statement,
        outputFileName: 'x.csv',
      });
      if (status !== 400) found.push(`${statement} → ${status} ${text}`);
    }
    for (const statement of running) {
      const { text } = await answerTo(statement, own);
      const reported = tracesOf(world.victim).find((one) => text.includes(one));
      if (reported) found.push(`${statement} → ${text}`);
    }
    for (const cohort of [{ cohortId: ids.cohort }, { cohortId: ids.cohort, datasetId: own }]) {
      const { status, text } = await ask('POST', '/v1/analytics/dsl', {
        ...cohort,
        query: { target: 'patient' },
      });
      if (status < 400 && text.includes(mark)) found.push(`dsl: ${text}`);
    }
    note(found);
  });
}
