import {
  type Parameter,
  type StatementPart,
  statementAt,
  statementsIn,
} from '@ploidy/formats/statement-text';
import { useEffect, useState } from 'react';
import { keptAs } from '../../api/place.ts';
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

interface KeptDraft extends Draft {
  project: string;
  /** Text that the address opened. */
  opened: string;
  /** Use of the tab until the user signs out. */
  use: string;
}

/** Drafts of this page by project: statements may name patients, and the browser's storage holds none (ASVS 14.3.3). */
const drafts = new Map<string, KeptDraft>();

/** Returns the present use of the tab. Signing out ends it, so that the next user finds no drafts. */
function tabUse(): string {
  const key = keptAs('use');
  const use = sessionStorage.getItem(key) ?? crypto.randomUUID();
  sessionStorage.setItem(key, use);
  return use;
}

/** Reads the draft for a statement that the address opens: of this page, or of the one before a reload. */
function keptDraft(project: string, opened: string): Draft | undefined {
  const kept = drafts.get(project) ?? (history.state as { sqlDraft?: KeptDraft } | null)?.sqlDraft;
  const isOwn = kept?.project === project && kept.opened === opened && kept.use === tabUse();
  return isOwn ? kept : undefined;
}

/** Leaves the draft in the entry of the history, which goes with the tab. The router need not know. */
function leaveDraft(project: string): void {
  const state = { ...history.state, sqlDraft: drafts.get(project) };
  History.prototype.replaceState.call(history, state, '');
}

interface Opened {
  project: string;
  /** Statement of the address, or an example. */
  sql: string;
  /** Id of the saved query of the address, and that query once it is read. */
  savedId: string | undefined;
  saved: SavedQuery | undefined;
}

/**
 * Holds the text that is written, at first that of the address or of a saved query. The tab keeps it when the page is left or
 * loaded again.
 */
export function useDraft({ project, sql, savedId, saved }: Opened) {
  const opened = savedId === undefined ? sql : saved?.statement;
  const [draft, setDraft] = useState<Draft>(() => keptDraft(project, sql) ?? { text: sql, parameters: [] });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the saved text leaves the written one
  useEffect(() => {
    if (saved) setDraft((now) => keptDraft(project, saved.statement) ?? { ...now, text: saved.statement });
  }, [saved?.id]);
  useEffect(() => {
    const { text, parameters } = draft;
    if (opened !== undefined) drafts.set(project, { project, opened, text, parameters, use: tabUse() });
  }, [project, draft, opened]);
  useEffect(() => {
    const leave = (): void => leaveDraft(project);
    addEventListener('beforeunload', leave);
    return () => removeEventListener('beforeunload', leave);
  }, [project]);
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
