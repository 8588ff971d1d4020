import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { account } from '../../api/client.ts';
import { notify, reportError } from '../../shell/Feedback.tsx';

interface Props {
  project: string;
  statement: string;
  close: () => void;
}

/** The statement in programs of Python and R, to copy. The key is one of the user's own, made under Me. */
export function Snippets({ project, statement, close }: Props) {
  const programs = [
    { name: 'Python', text: python(project, statement) },
    { name: 'R', text: r(project, statement) },
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
          Set PLOIDY_API_KEY to one of your API keys: create one under Me. Python needs the package ploidy of
          the release, and reads all rows; the program in R up to 10,000.
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

const address = (): string => `${location.origin}/v1/analytics/data-lake/rows`;

/** Writes a JSON text in ASCII, with the escapes that Python and R share. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(/[^ -~]/gu, (letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });

function python(project: string, statement: string): string {
  return `import ploidy

client = ploidy.connect(${quoted(location.origin)}, account=${quoted(account())})
rows = client.project(${quoted(project)}).query(${quoted(statement)}).to_pandas()`;
}

function r(project: string, statement: string): string {
  return `library(httr2)

found <- request(${quoted(address())}) |>
  req_headers(Authorization = Sys.getenv("PLOIDY_API_KEY"), \`Service-Account\` = ${quoted(account())}) |>
  req_body_json(list(datasetId = ${quoted(project)}, query = ${quoted(statement)})) |>
  req_perform() |>
  resp_body_json(simplifyVector = TRUE)
rows <- as.data.frame(found$rows)
names(rows) <- found$columns$name`;
}
