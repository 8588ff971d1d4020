import { Anchor, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { at } from '../../api/place.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import { Page as Frame } from '../../shell/Page.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { Assistants } from './Assistants.tsx';
import { Keys } from './Keys.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { ProfileForm } from './ProfileForm.tsx';

/** Page of the user: profile, password, second step, browsers, keys, assistants. */
export function Page() {
  return (
    <Frame title="Me">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Part title="Profile">
          <ProfileForm />
        </Part>
        <Part title="Password">
          <PasswordForm />
          <Group>
            <Anchor href={at('/v1/security')} size="sm">
              Two-step sign-in and recovery codes
            </Anchor>
          </Group>
        </Part>
      </SimpleGrid>
      <Part title="Browsers in which you are signed in">
        <Sessions />
      </Part>
      <Part title="API keys">
        <Keys />
      </Part>
      <Part title="Connect an assistant">
        <Assistants />
      </Part>
    </Frame>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Card>
  );
}

type Session = Shape<'Session'>;

/** Sessions of the user, each of which may be ended. */
function Sessions() {
  const query = useQuery({ queryKey: ['sessions'], queryFn: () => take(api.GET('/v1/sessions')) });
  const { column } = useRowActions<Session>({
    changes: ['sessions'],
    width: 130,
    of: ({ id, current }) => [
      current ? (
        <Text key={id} size="sm">
          this browser
        </Text>
      ) : (
        { label: 'Sign out', run: () => take(api.DELETE('/v1/sessions/{id}', { params: { path: { id } } })) }
      ),
    ],
  });
  const columns: Column<Session>[] = [
    { name: 'browser', value: ({ userAgent }) => userAgent },
    { name: 'address', value: ({ address }) => address },
    { name: 'last seen', value: ({ lastSeen }) => lastSeen, isTime: true },
    column,
  ];
  return (
    <Loaded query={query}>{({ items }) => <Grid name="Sessions" columns={columns} rows={items} />}</Loaded>
  );
}
