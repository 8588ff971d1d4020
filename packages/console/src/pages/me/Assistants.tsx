import { Code, CopyButton, Group, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { account, api, take } from '../../api/client.ts';
import { accounts, type Shape, useMay } from '../../api/lists.ts';
import { serviceAddress } from '../../api/place.ts';
import { ErrorAlert, Loaded } from '../../shell/Feedback.tsx';

type Mode = Shape<'Account'>['assistants'];

const modes: { value: Mode; label: string }[] = [
  { value: 'off', label: 'Off' },
  { value: 'read', label: 'Read' },
  { value: 'write', label: 'Read, and make cohorts' },
];

/** Address of the account for assistants, with lines that connect one; administrators choose what assistants may do. */
export function Assistants() {
  const may = useMay('accountAdmin', { type: 'account' });
  const query = useQuery(accounts);
  return (
    <Loaded query={query}>
      {(list) => {
        const mode = list.find(({ id }) => id === account())?.assistants ?? 'off';
        return (
          <Stack gap="xs">
            <Text size="sm">
              An assistant reads as you, under your rights. What it reads leaves this service, to the operator
              of the assistant.
            </Text>
            {may && <Choice mode={mode} />}
            {mode === 'off' && !may && (
              <Text size="sm">Assistants are off in this account. Ask an administrator of the account.</Text>
            )}
            {mode !== 'off' && <Lines />}
          </Stack>
        );
      }}
    </Loaded>
  );
}

/** Choice of what assistants may do in the account. */
function Choice({ mode }: { mode: Mode }) {
  const queries = useQueryClient();
  const work = useMutation({
    mutationFn: (assistants: Mode) =>
      take(api.PATCH('/v1/accounts/{id}', { params: { path: { id: account() } }, body: { assistants } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: accounts.queryKey }),
  });
  return (
    <Group>
      <SegmentedControl
        size="xs"
        aria-label="What assistants may do in this account"
        data={modes}
        value={mode}
        disabled={work.isPending}
        onChange={(value) => work.mutate(value as Mode)}
      />
      {work.error && <ErrorAlert error={work.error} />}
    </Group>
  );
}

/** Lines that connect a program, each copied by a click. */
function Lines() {
  const address = `${serviceAddress}/${account()}/mcp`;
  const lines = [
    ['Address of the server (Model Context Protocol, streamable HTTP); sign in when asked', address],
    ['Claude Code', `claude mcp add --transport http ploidy ${address}`],
    [
      'With an API key in place of a sign-in',
      `npx @modelcontextprotocol/inspector --cli ${address} --transport http --header "Authorization: Bearer $PLOIDY_API_KEY" --method tools/list`,
    ],
  ] as const;
  return lines.map(([about, line]) => (
    <div key={about}>
      <Text size="sm">{about}</Text>
      <CopyButton value={line}>
        {({ copied, copy }) => (
          <UnstyledButton onClick={copy} w="100%" aria-label={copied ? 'Copied' : `Copy: ${about}`}>
            <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
              {line}
            </Code>
          </UnstyledButton>
        )}
      </CopyButton>
    </div>
  ));
}
