import { Checkbox, Modal, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groups } from '../../api/account.ts';
import type { Shape } from '../../api/lists.ts';
import { Confirm } from '../../shell/Confirm.tsx';
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
  const [leaving, setLeaving] = useState<string>();
  const { name, email } = person.profile;
  const own = person.groups ?? [];
  const set = (group: string, member: boolean): void => {
    if (!member && own.length === 1) setLeaving(group);
    else work.mutate({ group, member });
  };
  if (leaving !== undefined)
    return (
      <Confirm
        title={`Remove ${name || email} from the account`}
        action="Remove"
        run={() => change(person, leaving, false)}
        close={close}
      >
        This is the last group. Without one the person leaves the account: rights, keys and attributes end at
        once.
      </Confirm>
    );
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
                checked={own.some(({ id }) => id === group.id)}
                onChange={(event) => set(group.id, event.currentTarget.checked)}
              />
            ))}
            {work.error && <ErrorAlert error={work.error} />}
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}
