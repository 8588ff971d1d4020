import { newId } from '../../../base/ids.ts';
import { type Answered, done } from './answered.ts';
import type { Command } from './commands.ts';
import { StatementFailed } from './failure.ts';
import { pack, preparedText, type Session } from './session.ts';

type Change = Extract<
  Command,
  { kind: 'setSession' | 'resetSession' | 'prepare' | 'deallocate' | 'transaction' | 'nothing' }
>;

/** Answers statements that change the session, which the client keeps. */
export function changeOf(command: Change, session: Session): Answered {
  switch (command.kind) {
    case 'setSession':
      return done('SET SESSION', {
        'Set-Session': `${propertyOf(command.name)}=${encodeURIComponent(command.value)}`,
      });
    case 'resetSession':
      return done('RESET SESSION', { 'Clear-Session': propertyOf(command.name) });
    case 'prepare':
      return done('PREPARE', {
        'Added-Prepare': `${encodeURIComponent(command.name)}=${encodeURIComponent(pack(command.text))}`,
      });
    case 'deallocate':
      preparedText(session, command.name);
      return done('DEALLOCATE', { 'Deallocated-Prepare': encodeURIComponent(command.name) });
    case 'transaction':
      return done(
        command.word,
        command.word === 'START TRANSACTION'
          ? { 'Started-Transaction-Id': newId() }
          : { 'Clear-Transaction-Id': 'true' },
      );
    case 'nothing':
      return done(command.word);
  }
}

/** Names of properties go into headers as they are. */
function propertyOf(name: string): string {
  if (/^[\w.$-]{1,255}$/.test(name)) return name;
  throw new StatementFailed('INVALID_SESSION_PROPERTY', 'There is no session property of this name');
}
