import {
  type Parameter,
  type StatementPart,
  statementAt,
  statementsIn,
} from '@ploidy/formats/statement-text';
import { useEffect, useState } from 'react';
import type { SavedQuery } from './saved.ts';

/** Selected part of a text, in characters. */
export interface Selected {
  from: number;
  to: number;
}

/** Text that is written, and the values of its parameters. */
interface Draft {
  text: string;
  parameters: Parameter[];
}

const keyOf = (project: string): string => `ploidy-sql-${project}`;

/** Reads the draft that the tab has kept for a statement that the address opens. */
function keptDraft(project: string, opened: string): Draft | undefined {
  const kept = sessionStorage.getItem(keyOf(project));
  const draft = kept === null ? undefined : (JSON.parse(kept) as Draft & { opened: string });
  return draft?.opened === opened ? draft : undefined;
}

interface Opened {
  project: string;
  /** Statement of the address, or an example. */
  sql: string;
  /** Id of the saved query of the address, and that query once it is read. */
  savedId: string | undefined;
  saved: SavedQuery | undefined;
}

/** Holds the text that is written, at first that of the address or of a saved query. The tab keeps it when the page is left. */
export function useDraft({ project, sql, savedId, saved }: Opened) {
  const opened = savedId === undefined ? sql : saved?.statement;
  const [draft, setDraft] = useState<Draft>(() => keptDraft(project, sql) ?? { text: sql, parameters: [] });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the saved text leaves the written one
  useEffect(() => {
    if (saved) setDraft((now) => keptDraft(project, saved.statement) ?? { ...now, text: saved.statement });
  }, [saved?.id]);
  useEffect(() => {
    const { text, parameters } = draft;
    if (opened !== undefined)
      sessionStorage.setItem(keyOf(project), JSON.stringify({ opened, text, parameters }));
  }, [project, draft, opened]);
  return {
    ...draft,
    setText: (text: string): void => setDraft((now) => ({ ...now, text })),
    setParameters: (parameters: Parameter[]): void => setDraft((now) => ({ ...now, parameters })),
  };
}

/** Returns the statements of a selection, or the one at the cursor. */
export function chosenIn(text: string, { from, to }: Selected): StatementPart[] {
  if (from === to) return [statementAt(text, from)].filter((part) => part !== undefined);
  return statementsIn(text.slice(from, to)).map((part) => ({
    ...part,
    start: part.start + from,
    end: part.end + from,
  }));
}
