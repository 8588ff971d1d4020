/** Whether an error is the one of a system call or library with this code: `ENOENT`, `EEXIST`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
