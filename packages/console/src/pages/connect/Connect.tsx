import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { account, api, orNone, take } from '../../api/client.ts';
import { serviceAddress } from '../../api/place.ts';
import { sourcesOf } from '../../api/sources.ts';
import type { Connection } from '../../connect/connection.ts';
import { connectionsOf } from '../../connect/lines.ts';
import { Loaded, notify, reportError } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { Page as Frame } from '../../shell/Page.tsx';

/** Lines that connect programs with a project, to copy. */
export function Page() {
  const { project } = useParams({ from: '/projects/$project/connect' });
  const query = useQuery({ queryKey: ['connect', project], queryFn: () => targetOf(project) });
  return (
    <Frame title="Connect">
      <Text>
        The lines work as they stand once <Code>PLOIDY_API_KEY</Code> holds one of your keys:{' '}
        <AnchorLink to="/me" underline="always">
          create one under Me
        </AnchorLink>
        . Programs have your rights and masks.
      </Text>
      <Loaded query={query}>
        {(target) => (
          <Stack>
            {connectionsOf(target).map((one) => (
              <Lines key={one.id} connection={one} />
            ))}
          </Stack>
        )}
      </Loaded>
    </Frame>
  );
}

function Lines({ connection: { name, needs, lines } }: { connection: Connection }) {
  const copy = (): Promise<void> =>
    navigator.clipboard.writeText(lines).then(() => notify(`The lines for ${name} are copied.`), reportError);
  return (
    <section aria-label={name}>
      <Group justify="space-between" mb={4}>
        <Title order={2} size="h5">
          {name}
        </Title>
        <Button size="compact-sm" variant="default" aria-label={`Copy ${name}`} onClick={() => void copy()}>
          Copy
        </Button>
      </Group>
      <Text size="sm" mb={4}>
        {needs}
      </Text>
      <Code block tabIndex={0} role="region" aria-label={`Lines for ${name}`}>
        {lines}
      </Code>
    </section>
  );
}

/** Returns the project with the first reads, variants and file that the caller may read. */
async function targetOf(project: string) {
  const query = { datasetId: project, pageSize: 1 };
  const [sources, files] = await Promise.all([
    orNone(sourcesOf(project)),
    orNone(take(api.GET('/v1/files', { params: { query } })).then(({ items }) => items)),
  ]);
  const packed = sources.find(({ kind, name }) => kind === 'variants' && /\.gz$/i.test(name));
  return {
    origin: serviceAddress,
    account: account(),
    project,
    reads: sources.find(({ kind }) => kind === 'reads')?.id,
    variants: packed?.id,
    file: files[0]?.id,
  };
}
