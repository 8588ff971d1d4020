import { Alert, Button, Center, Code, Loader, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ClientError } from '@ploidy/client';
import type { ReactNode } from 'react';
import { isUnreachable } from '../api/reachable.ts';

/** Sentence for readers of masked data where small counts are hidden. */
const countsOnly = 'You may see the data of this project as counts over many subjects only.';

/** An error with the sentence of the service, its faults by place, and the request id. */
export function ErrorAlert({ error, again }: { error: Error; again?: () => void }) {
  const problem = error instanceof ClientError ? error : undefined;
  const isRefused = problem?.status === 403;
  if (problem?.code === 'SMALL_COUNTS_ONLY')
    return (
      <Text size="sm" c="var(--soft)">
        {countsOnly}
      </Text>
    );
  return (
    <Alert
      color="red"
      variant="light"
      title={isRefused ? 'You have no right to this' : 'This did not work'}
      role="alert"
    >
      <Text size="sm">{sentenceOf(error)}</Text>
      {problem?.details
        .filter(({ message }) => !problem.message.includes(message))
        .map(({ path, message }) => (
          <Text size="sm" key={path + message}>
            <Code>{withoutPart(path)}</Code> {message}
          </Text>
        ))}
      {problem?.requestId && (
        <Text size="xs" mt={6}>
          Request <Code>{problem.requestId}</Code>
        </Text>
      )}
      {again && !isRefused && (
        <Button mt="xs" size="xs" variant="default" onClick={again}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** Returns the sentence of an error for the reader of a page. */
function sentenceOf(error: Error): string {
  if (!(error instanceof ClientError)) return error.message;
  if (error.code === 'UNREACHABLE')
    return 'The service cannot be reached. Check the connection and try again.';
  return withoutPart(error.message);
}

/** Removes the part of the request before the name of a field, which users of a form do not know. */
function withoutPart(text: string): string {
  return text.replace(/\b(?:body|query|params)\/(?=\w)/g, '');
}

/** Reports whether the service no longer shows what it showed before: data of an earlier right are not shown on. */
export const isRefusal = (error: Error | null): boolean =>
  error instanceof ClientError && [401, 403, 404].includes(error.status);

/** The data of a query, its error, or the sign that it is under way. */
export function Loaded<T>({
  query,
  children,
}: {
  query: { data: T | undefined; error: Error | null; refetch: () => unknown };
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined && !isRefusal(query.error)) return children(query.data);
  if (query.error && isUnreachable(query.error)) return <Waiting />;
  if (query.error) return <ErrorAlert error={query.error} again={() => void query.refetch()} />;
  return <Waiting />;
}

/** The sign that something is under way. */
export function Waiting() {
  return (
    <Center p="xl">
      <Loader role="status" aria-label="Loading" />
    </Center>
  );
}

/** A place where nothing is yet, and the way on. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Center p="xl">
      <Stack align="center" gap="xs" maw={480}>
        <Title order={3} size="h4">
          {title}
        </Title>
        <Text ta="center" c="var(--soft)">
          {children}
        </Text>
        {action}
      </Stack>
    </Center>
  );
}

/** Shows an error of an action in a corner of the page. */
export function reportError(error: Error): void {
  notifications.show({
    color: 'red',
    title: 'This did not work',
    message: <ErrorAlert error={error} />,
    autoClose: 15_000,
  });
}

/** Confirms an action in a corner of the page. */
export function notify(message: string): void {
  notifications.show({ color: 'teal', message });
}
