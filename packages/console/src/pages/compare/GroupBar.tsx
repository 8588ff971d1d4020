import { ActionIcon, Alert, Button, Group as Row, SegmentedControl, Text } from '@mantine/core';
import type { Shape } from '../../api/lists.ts';
import { Icon } from '../../design/Icon.tsx';
import type { Unit } from '../../study/study.ts';
import type { Drawn, Group, Overlap } from './groups.ts';

interface Props {
  groups: readonly Drawn[];
  change: (groups: readonly Group[]) => void;
  overlap: Overlap | undefined;
  unit: Unit;
  /** Sizes and shared patients, once they are known. */
  found: Shape<'StudyOverlap'> | undefined;
  set: (part: Record<string, string>) => void;
}

/** Button that opens the dialogue of groups. */
export function AddButton({ open, isFull }: { open: () => void; isFull: boolean }) {
  return (
    <Button onClick={open} disabled={isFull}>
      Add groups
    </Button>
  );
}

/** Groups with their colours and sizes, and the choice about patients in several of them. */
export function GroupBar({ groups, change, overlap, unit, found, set }: Props) {
  if (groups.length === 0) return null;
  const sizeOf = (id: string): string => {
    const size = found?.groups.find((one) => one.id === id);
    if (!size) return '';
    return size.patients === null ? ' (few)' : ` (${size.patients.toLocaleString()})`;
  };
  return (
    <>
      <Row justify="space-between" align="start">
        <Row component="ul" gap="xs" aria-label="Groups" style={{ listStyle: 'none', padding: 0, margin: 0 }}>
          {groups.map(({ id, name, colour }, at) => (
            <li key={id} className="group-chip" style={{ borderLeftColor: colour }}>
              <bdi>{name}</bdi>
              <span>{sizeOf(id)}</span>
              <ActionIcon
                size={24}
                variant="subtle"
                color="gray"
                aria-label={`Remove ${name}`}
                onClick={() => change(groups.toSpliced(at, 1))}
              >
                <Icon name="close" />
              </ActionIcon>
            </li>
          ))}
        </Row>
        <SegmentedControl
          size="xs"
          aria-label="Compared"
          data={[
            { value: 'patient', label: 'Subjects' },
            { value: 'sample', label: 'Samples' },
          ]}
          value={unit}
          onChange={(next) => set({ unit: next === 'sample' ? next : '' })}
        />
      </Row>
      <Shared shared={found?.shared} {...{ overlap, set }} />
      {unit === 'sample' && (
        <Text size="sm" c="var(--soft)">
          Groups are of samples. Each subject counts once in a group, since its samples are not independent.
        </Text>
      )}
    </>
  );
}

interface SharedProps extends Pick<Props, 'overlap' | 'set'> {
  /** Patients in several groups; null: few. */
  shared: number | null | undefined;
}

function Shared({ shared, overlap, set }: SharedProps) {
  if (shared === undefined || shared === 0) return null;
  const number = shared === null ? 'Some' : shared.toLocaleString();
  const isOne = shared === 1;
  return (
    <Alert
      color={overlap === 'exclude' ? 'blue' : 'yellow'}
      role="status"
      // The title in the colour of the alert is hard to read.
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
      title={`${number} ${isOne ? 'subject is' : 'subjects are'} in several groups`}
    >
      <Row justify="space-between">
        <Text size="sm" style={{ flex: '1 1 320px' }}>
          {overlap === 'exclude'
            ? `${isOne ? 'It is' : 'They are'} left out of all groups.`
            : overlap === 'include'
              ? 'They stay in each of their groups. Nothing is tested: tests take the groups as independent.'
              : 'Nothing is tested until you choose: tests take the groups as independent.'}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Subjects in several groups"
          data={[
            ...(overlap ? [] : [{ value: '', label: 'Not chosen' }]),
            { value: 'exclude', label: 'Leave out' },
            { value: 'include', label: 'Keep, without tests' },
          ]}
          value={overlap ?? ''}
          onChange={(value) => set({ overlap: value })}
        />
      </Row>
    </Alert>
  );
}
