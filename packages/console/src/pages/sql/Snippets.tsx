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
          Set PLOIDY_API_KEY to one of your API keys: create one under Me. The programs read up to 10,000
          rows.
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

/** JSON texts of ASCII are also texts of Python. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function python(project: string, statement: string): string {
  return `import os
import pandas as pd
import requests

answer = requests.post(
    ${quoted(address())},
    headers={"Authorization": os.environ["PLOIDY_API_KEY"], "Service-Account": ${quoted(account())}},
    json={"datasetId": ${quoted(project)}, "query": ${quoted(statement)}},
)
answer.raise_for_status()
found = answer.json()
rows = pd.DataFrame(found["rows"], columns=[column["name"] for column in found["columns"]])`;
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
