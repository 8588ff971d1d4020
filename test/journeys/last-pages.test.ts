import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { before, test } from 'node:test';
import type { Route } from '../../packages/server/src/api/route.ts';
import { routeCatalogue } from '../../packages/server/src/app/route-catalogue.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { TestProject } from '../inputs/project.ts';
import { vcfText } from '../inputs/texts.ts';
import { describeOnSqlite } from '../support/app.ts';

/** Returns a release of ClinVar in which two alleles have a significance. */
const clinvar = (date: string, significance: string): string =>
  [
    '##fileformat=VCFv4.1',
    `##fileDate=${date}`,
    '##source=ClinVar',
    '##INFO=<ID=CLNSIG,Number=.,Type=String,Description="Clinical significance">',
    '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
    ...[1000, 1010].map((position) => `1\t${position}\t.\tA\tG\t.\t.\tCLNSIG=${significance}`),
    '',
  ].join('\n');

const lists = routeCatalogue(readConfig({ PLOIDY_DATA_DIR: tmpdir() })).filter(isList);

function isList({ query, answers }: Route): boolean {
  const has = (schema: object | undefined, name: string): boolean =>
    name in Object(Reflect.get(schema ?? {}, 'properties'));
  return has(query, 'pageSize') && has(answers[200]?.schema, 'links');
}

interface Listed {
  items: unknown[];
  links: { next?: string };
}

describeOnSqlite(
  'the pages of every list',
  (app) => {
    const addresses = new Map<string, string>();

    const make = async (path: string, body: object): Promise<Record<string, string>> => {
      const reply = await app.call('POST', path, { body });
      assert.ok(reply.status < 300, reply.text);
      return reply.body;
    };

    /** Creates two items of every kind. */
    before(async () => {
      const projects: string[] = [];
      for (const name of ['One', 'Two']) projects.push((await make('/v1/projects', { name }))['id'] ?? '');
      const [project = ''] = projects;
      const ehr = { apiBaseUrl: 'https://127.0.0.1:9/' };
      const { id: ehrId = '' } = await make('/v1/ehrs', { ...ehr, name: 'One' });
      await make('/v1/ehrs', { ...ehr, name: 'Two' });
      const hook = { url: 'https://127.0.0.1:9/', events: ['ehr.deleted'] };
      const { id: webhook = '' } = await make('/v1/webhooks', { ...hook, name: 'One' });
      await make('/v1/webhooks', { ...hook, name: 'Two' });
      const { id: group = '' } = await make('/v1/account/groups', { name: 'One' });
      for (const [at, datasetId] of projects.entries()) {
        const fileId = await app.put(project, `${at}.ndjson`, '{"resourceType":"Patient","id":"p"}\n');
        await make('/v1/ingestions', { datasetId: project, fileId, type: 'fhir' });
        const work = TestProject.at(app.call, project);
        await work.endOfQuery(await work.startQuery('SELECT 1 AS one', `${at}.csv`));
        await make(`/v1/projects/${project}/saved-queries`, { name: `Query ${at}`, statement: 'SELECT 1' });
        await make(`/v1/projects/${project}/reports`, { name: `Report ${at}`, parts: [] });
        await make('/v1/uploads', { name: `${at}.bam`, datasetId: project });
        await make('/v1/cohorts', { name: `Cohort ${at}`, ownerProject: project });
        await make(`/v1/ehrs/${ehrId}/sync`, { datasetId });
        await make(`/v1/webhooks/${webhook}/test`, {});
        await make('/v1/api-keys', { name: `Key ${at}`, expireInDays: 1 });
        await make('/v1/invitations', { group, email: `invited-${at}@example.test` });
        await make('/v1/policies', { name: `Policy ${at}`, policy: { rules: { readData: true } } });
      }
      const releases = TestProject.at(app.call, project);
      await releases.take('carrier.vcf', vcfText('s1', 2));
      for (const [date, significance] of [
        ['2026-10-01', 'Benign'],
        ['2026-11-01', 'Pathogenic'],
      ] as const)
        await releases.take(`${date}.vcf`, clinvar(date, significance), { type: 'annotation' });
      const query = { target: 'patient', where: {} };
      const queries = projects.map((id) => ({ project: id, queryType: 'dsl', query }));
      const counted = await make('/v1/cohorts', { name: 'Counted', ownerProject: project, queries });
      const samples = ['one', 'two'].map((sampleId) => ({ sampleId }));
      const listed = await app.call('PUT', `/v1/projects/${project}/samples`, { body: { samples } });
      assert.equal(listed.status, 200, listed.text);
      for (let number = 0; number < 2; number += 1) await app.people.member(app.account, ['readData']);
      const { id: userId } = (await app.call('GET', '/v1/user')).body;
      // Its second group.
      await app.people.link('admin@localhost');
      const groups: { id: string; name: string }[] = (await app.call('GET', '/v1/account/groups')).body.items;
      const subjects = groups.find(({ name }) => name === 'Subjects')?.id ?? '';
      const ids: Record<string, string> = {
        '/v1/projects/:projectId/saved-queries': `/v1/projects/${project}/saved-queries`,
        '/v1/projects/:projectId/reports': `/v1/projects/${project}/reports`,
        '/v1/cohorts/:cohortId/counts': `/v1/cohorts/${counted['id']}/counts`,
        '/v1/projects/:id/files': `/v1/projects/${project}/files`,
        '/v1/projects/:id/access': `/v1/projects/${project}/access`,
        '/v1/projects/:id/masked-columns': `/v1/projects/${releases.id}/masked-columns`,
        '/v1/projects/:id/uploads': `/v1/projects/${project}/uploads`,
        '/v1/projects/:id/samples': `/v1/projects/${project}/samples`,
        '/v1/projects/:id/annotation-sources': `/v1/projects/${releases.id}/annotation-sources`,
        '/v1/projects/:id/annotation-changes': `/v1/projects/${releases.id}/annotation-changes`,
        '/v1/account/groups/:id/members': `/v1/account/groups/${subjects}/members`,
        '/v1/users/:username/groups': `/v1/users/${userId}/groups`,
        '/v1/webhooks/:webhookId/deliveries': `/v1/webhooks/${webhook}/deliveries`,
        '/v1/ehrs/:ehrId/syncs': `/v1/ehrs/${ehrId}/syncs`,
      };
      const filters: Record<string, string> = {
        '/v1/invitations': `account=${app.account}`,
        // Reading the log adds to it.
        '/v1/audit-events': 'action=policies.',
      };
      for (const { path, query } of lists) {
        const required: string[] = Reflect.get(query ?? {}, 'required') ?? [];
        const filter = filters[path] ?? required.map((name) => `${name}=${project}`).join('&');
        addresses.set(path, `${ids[path] ?? path}?${filter}`);
      }
    });

    for (const { path } of lists) {
      test(`GET ${path} links to a next page exactly while there are more items`, async () => {
        const page = async (pageSize: number): Promise<Listed> => {
          const reply = await app.call('GET', `${addresses.get(path)}&pageSize=${pageSize}`);
          assert.equal(reply.status, 200, reply.text);
          return reply.body;
        };
        const { items } = await page(1000);
        const count = items.length;
        assert.ok(count > 1, `${count} items`);
        const whole = await page(count);
        assert.deepEqual([whole.items.length, whole.links.next], [count, undefined]);
        const short = await page(count - 1);
        assert.equal(short.items.length, count - 1);
        const rest = await app.call('GET', short.links.next ?? assert.fail('there is no next page'));
        assert.equal(rest.status, 200, rest.text);
        assert.deepEqual([rest.body.items, rest.body.links.next], [items.slice(-1), undefined]);
      });
    }
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true', PLOIDY_RETRY_WAIT: '1ms' },
);
