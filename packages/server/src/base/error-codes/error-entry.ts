/** Status, meaning and remedy of an error code, in Markdown. */
export type ErrorEntry = readonly [status: number, meaning: string, remedy: string];
