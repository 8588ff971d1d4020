/** Steps after all test files of a process; `isCalled` when a batch of files runs them. */
export const end: { isCalled: boolean; steps: (() => Promise<void>)[] } = { isCalled: false, steps: [] };
