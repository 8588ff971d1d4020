import type { Static, TObject } from 'typebox';
import { Value } from 'typebox/value';
import type { OperationName } from '../../../access/operations.ts';
import type { InnerAnswer, InnerRequest } from '../../../api/route.ts';

/** Permission of assistants in an account: none, to read, or to change data too. */
export type Mode = 'off' | 'read' | 'write';

/** Present call of a tool. */
export interface Call {
  account: string;
  mode: Mode;
  perform: (asked: InnerRequest) => Promise<InnerAnswer>;
  /** Makes an address of a page of the console; `undefined` without a console. */
  page: (path: string, search?: Record<string, string>) => string | undefined;
}

/** Asks the API for the caller; a refusal ends the call of the tool. `O`: operations that the tool declares. */
type Ask<O extends OperationName> = <T = Record<string, unknown>>(
  operation: O,
  method: 'GET' | 'POST',
  url: string,
  body?: object,
) => Promise<T>;

/** Data of an answer, with a page of the console that shows them. */
export interface Found {
  data: Record<string, unknown>;
  link?: string | undefined;
  /** Field of `data` with a list of which the end may be left out. */
  list?: string;
}

interface Definition<S extends TObject, O extends OperationName> {
  name: string;
  title: string;
  description: string;
  /** Operations whose routes it asks: each decides its own privilege, and nothing else can be asked. */
  operations: readonly [O, ...O[]];
  /** True where it changes data: only in accounts that let assistants write. */
  changes: boolean;
  input: S;
  answer: (input: Static<S>, ask: Ask<O>, call: Call) => Promise<Found>;
}

/** Tool without its type parameters, as the list has it. */
export interface Tool extends Omit<Definition<TObject, OperationName>, 'answer'> {
  answer: (input: unknown, ask: Ask<OperationName>, call: Call) => Promise<Found>;
}

/** Declares a tool; the types of its input and of what it may ask follow. */
export function tool<S extends TObject, O extends OperationName>(definition: Definition<S, O>): Tool {
  return definition as unknown as Tool;
}

/** Refusal of a call, which the assistant may correct. */
export class ToolRefused extends Error {
  /** Body of the problem: `error`, `code` and perhaps `details`. */
  readonly body: Record<string, unknown>;

  constructor(body: Record<string, unknown>) {
    super(String(body['error']));
    this.name = 'ToolRefused';
    this.body = body;
  }
}

/** Runs a tool. Throws `ToolRefused` for an input that is not valid, and for what the API refuses. */
export async function runTool(one: Tool, input: unknown, call: Call): Promise<Found> {
  requireInput(one, input);
  const ask: Ask<OperationName> = async <T>(
    operation: OperationName,
    method: 'GET' | 'POST',
    url: string,
    body?: object,
  ) => {
    if (!one.operations.includes(operation)) throw new Error(`${one.name} does not declare ${operation}`);
    const mayChange = one.changes && call.mode === 'write';
    const { account } = call;
    const asked = { operation, method, url, account, ...(body && { body }), mayChange };
    const answer = await call.perform(asked);
    const { requestId: _, ...problem } = Object(answer.body);
    if (answer.status >= 400) throw new ToolRefused(problem);
    return answer.body as T;
  };
  return one.answer(input, ask, call);
}

/** Requires an input of the declared shape. */
function requireInput({ input: shape }: Tool, input: unknown): void {
  if (Value.Check(shape, input)) return;
  const details = Value.Errors(shape, input)
    .slice(0, 20)
    .map(({ instancePath, message }) => ({ path: `arguments${instancePath}`, message }));
  const error = `The arguments are not valid: ${details[0]?.path} ${details[0]?.message}.`;
  throw new ToolRefused({ error, code: 'INVALID_INPUT', details });
}
