import type { Api } from './connection.ts';
import { operationAddresses, type operations } from './generated/openapi.ts';

type Name = keyof typeof operationAddresses;
type Json<C> = C extends { content: { 'application/json': infer B } } ? B : never;

/** Parameters and body of an operation; those that it does not have are left out. */
type Input<O> = (O extends { parameters: { path: infer P } } ? { path: P } : object) &
  (O extends { parameters: { query?: infer Q } } ? ([Q] extends [never] ? object : { query?: Q }) : object) &
  (O extends { requestBody: infer B }
    ? { body: Json<B> }
    : O extends { requestBody?: infer B }
      ? { body?: Json<NonNullable<B>> }
      : object);

type Success<R> = R[Extract<keyof R, 200 | 201 | 202>];
/** JSON of a success; undefined where there is none. */
type Output<O> = O extends { responses: infer R }
  ? [Json<Success<R>>] extends [never]
    ? undefined
    : Json<Success<R>>
  : never;

/** Operations by the names of the API document: `operations.startQuery({ body })`. Each throws a `ClientError` for anything but 2xx. */
export type Operations = {
  [N in Name]: object extends Input<operations[N]>
    ? (input?: Input<operations[N]>) => Promise<Output<operations[N]>>
    : (input: Input<operations[N]>) => Promise<Output<operations[N]>>;
};

interface AnyInput {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Makes a function of each operation. */
export function operationsOf(api: Api): Operations {
  const request = api.request as unknown as (
    method: string,
    path: string,
    options: object,
  ) => Promise<{ data?: unknown }>;
  const functions = Object.entries(operationAddresses).map(([name, [method, path]]) => {
    const call = async ({ path: inPath, query, body }: AnyInput = {}): Promise<unknown> => {
      const { data } = await request(method.toLowerCase(), path, { params: { path: inPath, query }, body });
      return data;
    };
    return [name, call];
  });
  return Object.fromEntries(functions) as Operations;
}
