import {
  Button,
  Code,
  Group,
  Modal,
  PasswordInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, take } from '../../api/client.ts';
import { projects } from '../../api/lists.ts';
import { schedules } from '../../api/schedule.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import { type Checked, CheckResult } from './CheckButton.tsx';
import { type SignIn, signIns, systems } from './systems.ts';

/** A connection that was made and then tested. */
interface Tested {
  id: string;
  /** Address of its public keys; absent without a key pair. */
  jwksUrl: string | undefined;
  check: Checked;
}

/** A new connection to an EHR system. It is tested at once, and removed again where it does not work and should not stay. */
export function EhrForm({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const { data: projectList = [] } = useQuery(projects());
  const [values, setValues] = useState<Record<string, string>>({});
  const [system, setSystem] = useState<string>('other');
  const [signIn, setSignIn] = useState<SignIn>('oauth2');
  const [cron, setCron] = useState<string | null>(null);
  const [project, setProject] = useState<string | null>(null);
  const refresh = () => queries.invalidateQueries({ queryKey: ['ehrs'] });
  const work = useMutation({
    mutationFn: async (): Promise<Tested> => {
      const { name = '', apiBaseUrl = '', apiKey, apiSecret } = values;
      const schedule = cron !== null && project !== null ? { schedule: { cron, datasetId: project } } : {};
      const secrets = { ...(apiKey && { apiKey }), ...(apiSecret && { apiSecret }) };
      const { id, jwksUrl } = await take(
        api.POST('/v1/ehrs', { body: { name, apiBaseUrl, apiAuthType: signIn, ...secrets, ...schedule } }),
      );
      await refresh();
      return {
        id,
        jwksUrl,
        check: await take(api.POST('/v1/ehrs/{ehrId}/check', { params: { path: { ehrId: id } } })),
      };
    },
    onSuccess: ({ check }) => {
      if (check.works) close();
    },
  });
  const removal = useMutation({
    mutationFn: (ehrId: string) => take(api.DELETE('/v1/ehrs/{ehrId}', { params: { path: { ehrId } } })),
    onSuccess: async () => {
      work.reset();
      await refresh();
    },
  });
  const field = (name: string) => ({
    value: values[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setValues((all) => ({ ...all, [name]: value }));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    work.mutate();
  };
  const toggle = { autoComplete: 'off', visibilityToggleButtonProps: { 'aria-label': 'Show' } };
  const preset = systems.find(({ value }) => value === system);
  const { key, secret } = signIns[signIn];
  return (
    <Modal opened onClose={close} title="New connection" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack>
          <Select
            label="System"
            data={systems.map(({ value, label }) => ({ value, label }))}
            value={system}
            allowDeselect={false}
            onChange={(value) => {
              const chosen = systems.find((one) => one.value === value);
              setSystem(value ?? 'other');
              if (chosen) setSignIn(chosen.signIn);
            }}
          />
          {preset && (
            <Text size="sm" c="var(--soft)">
              {preset.hint}
            </Text>
          )}
          <TextInput label="Name" required data-autofocus {...field('name')} />
          <TextInput
            label="FHIR address"
            type="url"
            required
            placeholder={preset?.address}
            {...field('apiBaseUrl')}
          />
          <Select
            label="Sign-in"
            data={Object.entries(signIns).map(([value, { label }]) => ({ value, label }))}
            value={signIn}
            allowDeselect={false}
            onChange={(value) => setSignIn(value as SignIn)}
          />
          <PasswordInput label={key} {...toggle} {...field('apiKey')} />
          {signIn === 'private_key_jwt' ? (
            <Textarea
              label={secret}
              placeholder="-----BEGIN PRIVATE KEY-----"
              autosize
              minRows={3}
              maxRows={6}
              autoComplete="off"
              {...field('apiSecret')}
            />
          ) : (
            secret !== undefined && <PasswordInput label={secret} {...toggle} {...field('apiSecret')} />
          )}
          <Select
            label="Schedule"
            placeholder="By hand"
            clearable
            data={schedules}
            value={cron}
            onChange={setCron}
          />
          {cron !== null && (
            <Select
              label="Project that receives the data"
              required
              data={projectList.map(({ id, name }) => ({ value: id, label: name }))}
              value={project}
              onChange={setProject}
            />
          )}
          {work.error && <ErrorAlert error={work.error} />}
          {removal.error && <ErrorAlert error={removal.error} />}
          {work.data && <CheckResult check={work.data.check} />}
          {work.data?.jwksUrl && (
            <Text size="sm">
              Register this key set at the system: <Code>{work.data.jwksUrl}</Code>
            </Text>
          )}
          {work.data ? (
            <Group justify="flex-end">
              <Button
                variant="default"
                loading={removal.isPending}
                onClick={() => removal.mutate(work.data.id)}
              >
                Remove and correct
              </Button>
              <Button onClick={close}>Keep it</Button>
            </Group>
          ) : (
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={work.isPending}>
                Create and test
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Modal>
  );
}
