import { Checkbox, Modal, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { groups } from '../../api/account.ts';
import type { Shape } from '../../api/lists.ts';
import { ErrorAlert, Loaded } from '../../shell/Feedback.tsx';

type Person = Shape<'Person'>;

interface Props {
  person: Person;
  change: (person: Person, group: string, member: boolean) => Promise<void>;
  close: () => void;
}

/** Puts a person into groups and takes them out. */
export function GroupsOfPerson({ person, change, close }: Props) {
  const query = useQuery(groups());
  const work = useMutation({
    mutationFn: ({ group, member }: { group: string; member: boolean }) => change(person, group, member),
  });
  const { name, email } = person.profile;
  return (
    <Modal
      opened
      onClose={close}
      title={`Groups of ${name || email}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Loaded query={query}>
        {(list) => (
          <Stack>
            {list.map((group) => (
              <Checkbox
                key={group.id}
                label={group.name}
                description={group.description}
                disabled={work.isPending}
                checked={(person.groups ?? []).some(({ id }) => id === group.id)}
                onChange={(event) => work.mutate({ group: group.id, member: event.currentTarget.checked })}
              />
            ))}
            {work.error && <ErrorAlert error={work.error} />}
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}
