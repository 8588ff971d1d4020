/** Whether an error is the one of a system call or library with one of these codes: `ENOENT`, `EEXIST`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
