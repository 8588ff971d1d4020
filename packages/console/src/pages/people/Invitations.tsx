import { Alert, Button, Code, Group, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { groups, lists } from '../../api/account.ts';
import { account, all, api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Empty, Loaded, notify, reportError } from '../../shell/Feedback.tsx';
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
  const [passedOn, setPassedOn] = useState<Invitation>();
  const { data: choices = [] } = useQuery(groups());
  const query = useQuery({
    queryKey: ['invitations', account()],
    queryFn: () => all(lists.invitations({ account: account() })),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ['invitations'] });
  const invite = async ({ email = '' }: Record<string, string>): Promise<void> => {
    const made = await take(api.POST('/v1/invitations', { body: { email, group: group ?? '' } }));
    setPassedOn(made);
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
                const made = await take(
                  api.POST('/v1/invitations/{id}/resend', { params: { path: { id } } }),
                );
                setPassedOn(made);
                if (made.link === undefined) notify('The mail is on its way.');
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
      {passedOn?.link !== undefined && <Link {...passedOn} link={passedOn.link} />}
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

/** The link of a mail that no server sends, to copy for the invited person. */
function Link({ email, link }: { email: string; link: string }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      title="No mail server is set: pass the link on yourself"
      mb="sm"
      styles={label}
    >
      <Text size="sm" mb="xs">
        Give it to {email} alone. It works once, and is not shown again.
      </Text>
      <Group wrap="nowrap">
        <Code block flex={1} tabIndex={0} aria-label="Link of the invitation">
          {link}
        </Code>
        <Button
          size="xs"
          variant="default"
          onClick={() =>
            void navigator.clipboard.writeText(link).then(() => notify('The link is copied.'), reportError)
          }
        >
          Copy link
        </Button>
      </Group>
    </Alert>
  );
}

const label = { label: { color: 'var(--mantine-color-text)' } };
