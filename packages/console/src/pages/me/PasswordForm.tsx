import { Button, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, take } from '../../api/client.ts';
import { ErrorAlert, notify } from '../../shell/Feedback.tsx';

/** Changes the password; every other browser is signed out. */
export function PasswordForm() {
  const [currentPassword, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const queries = useQueryClient();
  const work = useMutation({
    mutationFn: () => take(api.PUT('/v1/user/password', { body: { currentPassword, password } })),
    onSuccess: async () => {
      setCurrent('');
      setPassword('');
      await queries.invalidateQueries({ queryKey: ['sessions'] });
      notify('Your password is changed. Other browsers are signed out.');
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    work.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          value={currentPassword}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the current password' }}
        />
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the new password' }}
        />
        {work.error && <ErrorAlert error={work.error} />}
        <Button type="submit" loading={work.isPending}>
          Change the password
        </Button>
      </Stack>
    </form>
  );
}
