import { DatabaseSync } from 'node:sqlite';
import { mock } from 'node:test';

/** Notes every statement that this process prepares on the databases in a folder; `stop` ends that. */
export function noteStatements(): { statementsIn(folder: string): string[]; stop(): void } {
  const noted = new Map<string, Set<string>>();
  const prepare = DatabaseSync.prototype.prepare;
  const watched = mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, text: string) {
    const path = this.location() ?? '';
    noted.set(path, (noted.get(path) ?? new Set()).add(text));
    return prepare.call(this, text);
  });
  return {
    statementsIn: (folder) =>
      [...noted].flatMap(([path, statements]) => (path.startsWith(folder) ? [...statements] : [])),
    stop: () => watched.mock.restore(),
  };
}
