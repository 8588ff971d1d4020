import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import { self } from '../../api/lists.ts';
import { ErrorAlert, Loaded, notify } from '../../shell/Feedback.tsx';

const fields = [
  ['name', 'Name'],
  ['givenName', 'Given name'],
  ['familyName', 'Family name'],
  ['preferredUsername', 'Preferred name'],
] as const;

type Profile = Partial<Record<(typeof fields)[number][0], string>>;

/** The names of the user. */
export function ProfileForm() {
  const query = useQuery(self);
  return <Loaded query={query}>{({ profile }) => <Fields profile={profile} />}</Loaded>;
}

function Fields({ profile }: { profile: Profile }) {
  const [values, setValues] = useState<Profile>(profile);
  const queries = useQueryClient();
  const work = useMutation({
    mutationFn: () => {
      const given = Object.fromEntries(fields.map(([name]) => [name, values[name] || null]));
      return take(api.PATCH('/v1/user', { body: { profile: given } }));
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['user'] });
      notify('Your profile is saved.');
    },
  });
  return (
    <Stack gap="xs">
      {fields.map(([name, label]) => (
        <TextInput
          key={name}
          label={label}
          value={values[name] ?? ''}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setValues((all) => ({ ...all, [name]: value }));
          }}
        />
      ))}
      {work.error && <ErrorAlert error={work.error} />}
      <Button onClick={() => work.mutate()} loading={work.isPending}>
        Save
      </Button>
    </Stack>
  );
}
