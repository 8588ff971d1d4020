import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { ErrorAlert, Waiting } from '../../shell/Feedback.tsx';

const titles: Readonly<Record<string, string>> = {
  capabilities: 'Sign-in and capabilities',
  patients: 'Search for patients',
};

/** Tests the connection to an EHR system, and shows what works and what to do about the rest. */
export function CheckButton({ ehr }: { ehr: { id: string; name: string } }) {
  const work = useMutation({
    mutationFn: () => take(api.POST('/v1/ehrs/{ehrId}/check', { params: { path: { ehrId: ehr.id } } })),
  });
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Test the connection to ${ehr.name}`}
        onClick={() => work.mutate()}
      >
        Test
      </Button>
      <Modal
        opened={!work.isIdle}
        onClose={() => work.reset()}
        title={`Test of ${ehr.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {work.isPending && <Waiting />}
        {work.error && <ErrorAlert error={work.error} />}
        {work.data && <CheckResult check={work.data} />}
      </Modal>
    </>
  );
}

export type Checked = Shape<'EhrCheck'>;

/** Steps of a test with what works, and what to do about the rest. */
export function CheckResult({ check }: { check: Checked }) {
  return (
    <Stack role="status">
      <Text size="sm" fw={600}>
        {check.works ? 'The connection works. You can start a sync.' : 'The connection does not work.'}
      </Text>
      {check.checks.map(({ name, works, message, remedy }) => (
        <Alert
          key={name}
          variant={works ? 'default' : 'light'}
          color="red"
          title={`${titles[name] ?? name}: ${works ? 'works' : 'fails'}`}
        >
          <Text size="sm">{message}</Text>
          {remedy && (
            <Text size="sm" mt={6}>
              {remedy}
            </Text>
          )}
        </Alert>
      ))}
    </Stack>
  );
}
