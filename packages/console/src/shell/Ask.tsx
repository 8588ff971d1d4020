import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorAlert } from './Feedback.tsx';

interface Field {
  name: string;
  label: string;
  value?: string;
  optional?: boolean;
  type?: string;
}

interface Props {
  title: string;
  fields: Field[];
  action: string;
  children?: ReactNode;
  run: (values: Record<string, string>) => Promise<unknown>;
  close: () => void;
}

/** A small form in a dialogue: some texts and one action. */
export function Ask({ title, fields, action, children, run, close }: Props) {
  const [values, setValues] = useState(() =>
    Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])),
  );
  const work = useMutation({ mutationFn: () => run(values), onSuccess: close });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    work.mutate();
  };
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack>
          {fields.map(({ name, label, optional, type }, at) => (
            <TextInput
              key={name}
              label={label}
              type={type ?? 'text'}
              required={!optional}
              data-autofocus={at === 0 || undefined}
              value={values[name] ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setValues((all) => ({ ...all, [name]: value }));
              }}
            />
          ))}
          {children}
          {work.error && <ErrorAlert error={work.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={work.isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
