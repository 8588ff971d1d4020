/** The listed rights of people against what the requests of these people are answered. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../../test/inputs/texts.ts';
import { describeOnSqlite } from '../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../test/support/people.ts';

type Extent = 'all' | 'some' | 'none';
/** Patients, and a sample of none: rules that name every patient do not open its rows. */
const patients = ['p-0', 'p-1', 'p-2'];
const owners = [...patients, 'alone'];

describeOnSqlite('listed rights and answers', (app) => {
  let project: TestProject;
  let people: Person[];
  let files: { id: string; owner: string }[];

  before(async () => {
    project = await TestProject.make(app.call, 'Answered');
    await project.take('p.ndjson', fhirText('p', patients.length, 1));
    await project.take('alone.vcf', vcfText('alone', 1));
    people = [];
    files = [];
    for (let at = 0; at < 3; at += 1) {
      const person = await app.people.member(app.account, ['createData']);
      const own = project.as((method, path, options) =>
        app.call(method, path, { key: person.key, ...options }),
      );
      people.push(person);
      files.push({ id: await own.upload(`${at}.txt`, 'x'), owner: person.userId });
      // No rule names it.
      files.push({ id: await own.upload(`${at}-other.txt`, 'x'), owner: person.userId });
    }
    const { items } = (await app.call('GET', '/v1/policies?name=Subject')).body;
    assert.equal((await app.call('DELETE', `/v1/policies/${items[0].id}`)).status, 204);
  });

  /** Policies in which any of three people has rights by project, type, owner, id or patient. */
  function drawn() {
    const equals = (value: string) => ({ comparison: 'equals' as const, value });
    const about = fc.constantFrom<Record<string, object>>(
      {},
      { 'resource.type': equals('file') },
      { 'resource.type': equals('table') },
      { 'resource.dataset': equals('another') },
      { 'resource.ownerId': { comparison: 'equals', target: 'user.id' } },
      { 'resource.ownerId': equals(people[0]?.userId ?? '') },
      { 'resource.ownerId': { comparison: 'notEquals', value: people[1]?.userId ?? '' } },
      { 'resource.id': { comparison: 'in', value: [files[0]?.id ?? '', files[2]?.id ?? ''] } },
      { 'resource.subject': equals('p-0') },
      { 'resource.subject': { comparison: 'in', value: ['p-1', 'p-2'] } },
      { 'resource.subject': { comparison: 'notEquals', value: 'p-1' } },
    );
    const rule = fc
      .tuple(fc.nat(2), about)
      .map(([at, rest]) => ({ 'user.id': equals(people[at]?.userId ?? ''), ...rest }));
    const privilege = fc.constantFrom('readData', 'readMaskedData', 'deleteData');
    return fc.array(
      fc.dictionary(privilege, fc.array(rule, { minLength: 1, maxLength: 2 }), { minKeys: 1 }),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
  }

  const answer = (seen: number, of: number): Extent => (seen === of ? 'all' : seen > 0 ? 'some' : 'none');

  async function answeredTo({ key }: Person): Promise<Record<string, Extent>> {
    const read = await Promise.all(files.map(({ id }) => app.call('GET', `/v1/files/${id}`, { key })));
    const listed = await app.call('GET', `/v1/files?datasetId=${project.id}&name=&pageSize=100`, { key });
    const readable = read.filter(({ status }) => status === 200).length;
    if (listed.status === 200) {
      const ids = new Set(listed.body.items.map(({ id }: { id: string }) => id));
      assert.equal(files.filter(({ id }) => ids.has(id)).length, readable);
    }
    const query = 'SELECT patient_id FROM patient UNION ALL SELECT id FROM sequence WHERE patient_id IS NULL';
    const body = { query, datasetId: project.id };
    const rows = await app.call('POST', '/v1/analytics/data-lake/rows', { key, body });
    const ids: string[] = rows.status === 200 ? rows.body.rows.flat() : [];
    const real = ids.filter((id) => owners.includes(id)).length;
    return {
      readFiles: answer(readable, files.length),
      readRows: answer(real, owners.length),
      // Counts the patients that are not shown in full.
      readMaskedRows: answer(ids.length - real, owners.length),
    };
  }

  test('a listed right is what the requests of the person are answered, and names its policies', async () => {
    await fc.assert(
      fc.asyncProperty(drawn(), async (policies) => {
        const made: string[] = [];
        for (const [at, rules] of policies.entries()) {
          const policy = { rules };
          const reply = await app.call('POST', '/v1/policies', { body: { name: `Drawn ${at}`, policy } });
          assert.equal(reply.status, 200, reply.text);
          made.push(reply.body.id);
        }
        try {
          const { items } = (await app.call('GET', `/v1/projects/${project.id}/access?pageSize=100`)).body;
          for (const person of people) {
            const found = items.find(({ id }: { id: string }) => id === person.userId);
            const answered = await answeredTo(person);
            for (const right of Object.keys(answered)) {
              const listed = found.rights.find((one: { right: string }) => one.right === right);
              const extent: Extent = listed?.extent ?? 'none';
              if (right === 'readMaskedRows' && answered['readRows'] === 'some') {
                // The rest alone is masked; a masked right may name only rows that are shown in full.
                if (answered[right] !== 'none')
                  assert.notEqual(extent, 'none', `${right} ${JSON.stringify(policies)}`);
              } else assert.equal(extent, answered[right], `${right} ${JSON.stringify(policies)}`);
              if (listed) assert.ok(listed.policies.length > 0, right);
              for (const name of listed?.policies ?? []) assert.match(name, /^Drawn /);
            }
          }
        } finally {
          for (const id of made) await app.call('DELETE', `/v1/policies/${id}`);
        }
      }),
      { numRuns: 40 },
    );
  });
});
