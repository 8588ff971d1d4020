import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { account } from '../../api/client.ts';
import { serviceAddress } from '../../api/place.ts';
import { pythonProgram, rProgram } from '../../connect/lines.ts';
import { notify, reportError } from '../../shell/Feedback.tsx';

interface Props {
  project: string;
  statement: string;
  close: () => void;
}

/** The statement in programs of Python and R, to copy. The key is one of the user's own, made under Me. */
export function Snippets({ project, statement, close }: Props) {
  const target = { origin: serviceAddress, account: account(), project };
  const programs = [
    { name: 'Python', text: pythonProgram(target, statement) },
    { name: 'R', text: rProgram(target, statement) },
  ];
  return (
    <Modal
      opened
      onClose={close}
      size="xl"
      title="Open in Python or R"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">
          Set PLOIDY_API_KEY to one of your API keys: create one under Me. The programs read every row; that
          of R needs the command line, signed in.
        </Text>
        {programs.map(({ name, text }) => (
          <div key={name}>
            <Group justify="space-between" mb={4}>
              <Text fw={600} size="sm">
                {name}
              </Text>
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Copy ${name}`}
                onClick={() =>
                  void navigator.clipboard
                    .writeText(text)
                    .then(() => notify(`The ${name} program is copied.`), reportError)
                }
              >
                Copy
              </Button>
            </Group>
            <Code block tabIndex={0} aria-label={`${name} program`}>
              {text}
            </Code>
          </div>
        ))}
      </Stack>
    </Modal>
  );
}
