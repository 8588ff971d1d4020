import { Tabs } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useMay } from '../../api/lists.ts';
import { Page as Frame } from '../../shell/Page.tsx';
import { TabLink } from '../../shell/TabLink.tsx';
import { AccessTo } from './AccessTo.tsx';
import { Clients } from './Clients.tsx';
import { Explain } from './Explain.tsx';
import { Groups } from './Groups.tsx';
import { Invitations } from './Invitations.tsx';
import { Members } from './Members.tsx';
import { Policies } from './Policies.tsx';
import { Saml } from './Saml.tsx';
import { Webhooks } from './Webhooks.tsx';

/** People of the account, and what they may do. */
export function Page() {
  const { tab = 'people', project } = useSearch({ from: '/account/people' });
  const manages = useMay('accessAdmin', { type: 'account' });
  const administers = useMay('accountAdmin', { type: 'account' });
  const tabs: [string, string, boolean | undefined, () => React.ReactNode][] = [
    [
      'people',
      'People',
      true,
      () => <Members manages={manages === true} administers={administers === true} />,
    ],
    ['invitations', 'Invitations', manages, () => <Invitations />],
    ['groups', 'Groups', true, () => <Groups manages={manages === true} />],
    ['policies', 'Policies', manages, () => <Policies />],
    ['access', 'Access to a project', manages, () => <AccessTo project={project} />],
    ['explain', 'Why?', true, () => <Explain manages={manages === true} />],
    ['clients', 'OAuth clients', administers, () => <Clients />],
    ['webhooks', 'Webhooks', administers, () => <Webhooks />],
    ['saml', 'Single sign-on', administers, () => <Saml />],
  ];
  const shown = tabs.filter(([, , may]) => may);
  return (
    <Frame title="People and access">
      <Tabs value={tab} keepMounted={false}>
        <Tabs.List>
          {shown.map(([value, label]) => (
            <TabLink key={value} value={value} to="/account/people" search={{ tab: value }}>
              {label}
            </TabLink>
          ))}
        </Tabs.List>
        {shown.map(([value, , , content]) => (
          <Tabs.Panel key={value} value={value} pt="md">
            {content()}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Frame>
  );
}
