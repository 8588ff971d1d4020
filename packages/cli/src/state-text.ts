/** State of work for people: while it waits for others, its position in the queue. */
export function stateText({
  state,
  waiting,
}: {
  state: string;
  waiting?: { position: number } | undefined;
}): string {
  return waiting ? `waiting, position ${waiting.position}` : state;
}
