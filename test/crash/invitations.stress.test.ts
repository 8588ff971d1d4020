import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkIn, startMailServer } from '../support/mail-server.ts';
import { until } from '../support/until.ts';
import { MortalService } from './mortal-service.ts';

const free = await startMailServer();
await free.stop();
let service: MortalService;

before(async () => {
  service = await MortalService.start({
    PLOIDY_SMTP_URL: `smtp://127.0.0.1:${free.port}?verify=false`,
    PLOIDY_MAIL_FROM: 'ploidy@example.org',
    PLOIDY_RETRY_WAIT: '10ms',
  });
});
after(() => service.end());

test('an acknowledged invitation and its mail outlive the process, and its link works in the next', async (context) => {
  const { groups } = (await service.call('GET', '/v1/accounts/main?include=groups')).body;
  const group = groups.find((one: { name: string }) => one.name === 'Users').id;
  const body = { group, email: 'jane@example.org' };
  const { id } = (await service.call('POST', '/v1/invitations', { body })).body;
  await service.kill();
  const mailServer = await startMailServer({ port: free.port });
  context.after(() => mailServer.stop());
  await service.restart();
  const read = () => service.call('GET', `/v1/invitations/${id}`);
  await until(async () => (await read()).body.delivery.state === 'sent', 'it is sent');
  const [letter] = mailServer.to('jane@example.org');
  const link = linkIn(letter?.raw ?? '');
  const token = new URL(link).searchParams.get('token') ?? '';
  const form = { token, answer: 'accept', password: 'correct horse', repeated: 'correct horse' };
  const reply = await fetch(link.split('?')[0] ?? '', { method: 'POST', body: new URLSearchParams(form) });
  assert.equal(reply.status, 200);
  assert.equal((await read()).body.status, 'ACCEPTED');
  await service.assertAuditWhole();
});
