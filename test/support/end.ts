/** What is done when all files of a process are through; `isCalled` where somebody does it, as a batch of files does. */
export const end: { isCalled: boolean; steps: (() => Promise<void>)[] } = { isCalled: false, steps: [] };
