import { Button, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { groups, lists } from '../../api/account.ts';
import { account, all, api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Empty, Loaded, notify } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Invitation = Shape<'Invitation'>;

/** States of mails in words. */
const mailStates = {
  queued: 'queued',
  sent: 'sent',
  outbox: 'not sent: no mail server is configured; the mail is in the outbox of the data folder',
  failed: 'failed',
};

/** Invitations into groups of the account. */
export function Invitations() {
  const queries = useQueryClient();
  const [inviting, { open, close }] = useDisclosure();
  const [group, setGroup] = useState<string | null>(null);
  const { data: choices = [] } = useQuery(groups());
  const query = useQuery({
    queryKey: ['invitations', account()],
    queryFn: () => all(lists.invitations({ account: account() })),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ['invitations'] });
  const invite = async ({ email = '' }: Record<string, string>): Promise<void> => {
    await take(api.POST('/v1/invitations', { body: { email, group: group ?? '' } }));
    await refresh();
  };
  const { column, confirmation } = useRowActions<Invitation>({
    changes: ['invitations'],
    width: 190,
    of: ({ id, email, status }) =>
      status === 'AWAITING'
        ? [
            {
              label: 'Send again',
              run: async () => {
                await take(api.POST('/v1/invitations/{id}/resend', { params: { path: { id } } }));
                notify('The mail is on its way.');
              },
            },
            {
              label: 'Revoke',
              question: `Revoke the invitation of ${email}?`,
              warning: 'The link in the mail stops working.',
              run: () =>
                take(
                  api.PATCH('/v1/invitations/{id}', {
                    params: { path: { id } },
                    body: { status: 'REVOKED' },
                  }),
                ),
            },
          ]
        : [],
  });
  const columns: Column<Invitation>[] = [
    { name: 'e-mail', value: ({ email }) => email },
    { name: 'group', value: ({ groupName }) => groupName },
    { name: 'state', value: ({ status }) => status.toLowerCase() },
    { name: 'mail', value: ({ delivery }) => delivery && (delivery.error ?? mailStates[delivery.state]) },
    { name: 'expires', value: ({ expires }) => expires, isTime: true },
    column,
  ];
  return (
    <>
      <Button onClick={open} mb="sm">
        Invite
      </Button>
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No invitation">Invite people by e-mail into a group of the account.</Empty>
          ) : (
            <Grid name="Invitations" columns={columns} rows={list} />
          )
        }
      </Loaded>
      {inviting && (
        <Ask
          title="Invite"
          action="Invite"
          fields={[{ name: 'email', label: 'E-mail address', type: 'email' }]}
          run={invite}
          close={close}
        >
          <Select
            label="Group"
            required
            searchable
            data={choices.map(({ id, name }) => ({ value: id, label: name }))}
            value={group}
            onChange={setGroup}
          />
        </Ask>
      )}
      {confirmation}
    </>
  );
}
