import { Anchor, Card, Group, SimpleGrid, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page as Frame } from '../../shell/Page.tsx';
import { Keys } from './Keys.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { ProfileForm } from './ProfileForm.tsx';
import { Sessions } from './Sessions.tsx';

/** Page of the user: profile, password, second step, browsers, keys. */
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
            <Anchor href="/v1/security" size="sm">
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
