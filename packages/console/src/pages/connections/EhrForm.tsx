import { Button, Group, Modal, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, take } from '../../api/client.ts';
import { projects } from '../../api/lists.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import { schedules } from './schedule.ts';

const signIns = ['header', 'basic', 'oauth2', 'private_key_jwt'] as const;

/** A new connection to an EHR system. */
export function EhrForm({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const { data: projectList = [] } = useQuery(projects());
  const [values, setValues] = useState<Record<string, string>>({});
  const [signIn, setSignIn] = useState<(typeof signIns)[number]>('oauth2');
  const [cron, setCron] = useState<string | null>(null);
  const [project, setProject] = useState<string | null>(null);
  const work = useMutation({
    mutationFn: () => {
      const { name = '', apiBaseUrl = '', apiKey, apiSecret } = values;
      const schedule = cron !== null && project !== null ? { schedule: { cron, datasetId: project } } : {};
      const secrets = { ...(apiKey && { apiKey }), ...(apiSecret && { apiSecret }) };
      return take(
        api.POST('/v1/ehrs', { body: { name, apiBaseUrl, apiAuthType: signIn, ...secrets, ...schedule } }),
      );
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['ehrs'] });
      close();
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
  const toggle = { visibilityToggleButtonProps: { 'aria-label': 'Show' } };
  return (
    <Modal opened onClose={close} title="New connection" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput label="Name" required data-autofocus {...field('name')} />
          <TextInput label="FHIR address" type="url" required {...field('apiBaseUrl')} />
          <Select
            label="Sign-in"
            data={signIns}
            value={signIn}
            allowDeselect={false}
            onChange={(value) => setSignIn(value as (typeof signIns)[number])}
          />
          <PasswordInput label="Key or client id" autoComplete="off" {...toggle} {...field('apiKey')} />
          <PasswordInput label="Secret" autoComplete="off" {...toggle} {...field('apiSecret')} />
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
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={work.isPending}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
