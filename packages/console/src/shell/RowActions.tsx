import { Button, Group } from '@mantine/core';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { isValidElement, type ReactElement, type ReactNode, useState } from 'react';
import type { Column } from '../table/column.ts';
import { Confirm } from './Confirm.tsx';
import { reportError } from './Feedback.tsx';

/** A button of a row. */
interface RowAction {
  label: string;
  run: () => unknown;
  /** Text of the confirmation, which names what is lost. Without it the action runs at once. */
  warning?: ReactNode;
  /** Question of the confirmation. */
  question?: string;
}

interface Options<R> {
  /** Queries that are asked anew after an action. */
  changes?: QueryKey;
  /** Width of the column in pixels. */
  width?: number;
  /** Actions of a row: buttons, or what is drawn in their place. */
  of: (row: R) => (RowAction | ReactElement | false | undefined)[];
}

/** The last column of a table, with actions on a row, and the dialogue that confirms one. */
export function useRowActions<R>({ changes, width = 100, of }: Options<R>): {
  column: Column<R>;
  confirmation: ReactNode;
} {
  const queries = useQueryClient();
  const [confirmed, setConfirmed] = useState<RowAction>();
  const perform = async ({ run }: RowAction): Promise<void> => {
    await run();
    if (changes) await queries.invalidateQueries({ queryKey: changes });
  };
  const begin = (action: RowAction): void => {
    if (action.warning !== undefined) setConfirmed(action);
    else void perform(action).catch(reportError);
  };
  const column: Column<R> = {
    name: 'actions',
    isAction: true,
    width,
    value: () => '',
    render: (row) => (
      <Group gap={4} wrap="nowrap">
        {of(row).map((action) =>
          !action || isValidElement(action) ? (
            action
          ) : (
            <Button key={action.label} size="compact-xs" variant="default" onClick={() => begin(action)}>
              {action.label}
            </Button>
          ),
        )}
      </Group>
    ),
  };
  const confirmation = confirmed && (
    <Confirm
      title={confirmed.question ?? `${confirmed.label}?`}
      action={confirmed.label}
      run={() => perform(confirmed)}
      close={() => setConfirmed(undefined)}
    >
      {confirmed.warning}
    </Confirm>
  );
  return { column, confirmation };
}
