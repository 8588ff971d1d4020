const causesMax = 5;
/** Primary result codes of SQLite, https://www.sqlite.org/rescode.html. */
const sqlite = { readOnly: 8, inputOutput: 10, corrupt: 11, full: 13, cannotOpen: 14, noDatabase: 26 };

const remedies: readonly { codes: readonly unknown[]; remedy: string }[] = [
  {
    codes: ['ENOSPC', 'EDQUOT', sqlite.full],
    remedy: 'No space is left on the disk: free some, then try again.',
  },
  {
    codes: [sqlite.inputOutput],
    remedy: 'The disk is full or damaged: look at its space and the kernel log.',
  },
  {
    codes: [sqlite.corrupt, sqlite.noDatabase],
    remedy:
      'records.sqlite is damaged ("ploidy admin doctor" lists the places): keep the folder aside and restore a backup.',
  },
  {
    codes: ['EACCES', 'EPERM', 'EROFS', sqlite.readOnly, sqlite.cannotOpen],
    remedy:
      'The files belong to another user, or the disk is read-only: run this as the user of the service.',
  },
];

/** Returns the remedy of a failure that the host has caused, such as a full disk; `undefined` for others. */
export function hostRemedy(error: unknown): string | undefined {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < causesMax; depth += 1) {
    const codes = [Reflect.get(at, 'code'), Number(Reflect.get(at, 'errcode')) & 0xff];
    const found = remedies.find((one) => codes.some((code) => one.codes.includes(code)));
    if (found) return found.remedy;
    at = at.cause;
  }
  return undefined;
}
