/** Reports whether an error carries one of these codes of a system call: `ENOENT`, `EEXIST`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
