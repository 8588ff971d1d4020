import { ClientError, nextToken } from '@ploidy/client';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { collect, readText } from '../input.ts';
import { jsonPath, valuesAt } from '../json-path.ts';
import { openSession, type Session } from '../session.ts';
import { documentText } from '../visible.ts';
import { printChunks } from './query-rows.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

interface ApiOptions {
  data?: string;
  file?: string;
  field?: Record<string, unknown>;
  header?: string[];
  include?: boolean;
  paginate?: boolean;
  pick?: ReturnType<typeof jsonPath>;
}

export function addApi(program: Command): void {
  program
    .command('api')
    .description('send a request with your credentials and print the body of the answer')
    .argument('<method>', 'such as GET; without one, GET, or POST with a body')
    .argument('[path]', 'such as /v1/projects?pageSize=5; {account} and {project} become yours')
    .option('-d, --data <json>', 'body of the request')
    .option('-f, --file <path>', 'read the body from a file; - for standard input')
    .option('-F, --field <name=value>', 'field of a JSON body; numbers, true, false and null are such', field)
    .option('-H, --header <name:value>', 'header of the request; may be repeated', collect)
    .option('-i, --include', 'print status and headers of the answer first')
    .option('--paginate', 'read all pages of a list, and print its items as one array')
    .option('-q, --pick <path>', 'print the values at a path of the JSON, such as .items[].name', jsonPath)
    .action(async (first: string, second: string | undefined, options: ApiOptions, command: Command) => {
      const session = await openSession(command);
      const body = await bodyOf(options);
      const [method, path] =
        second === undefined ? [body === undefined ? 'GET' : 'POST', first] : [first, second];
      const request = requestOf(session, method, path, { body, headers: headersOf(options.header ?? []) });
      if (options.paginate) return printJson(await allItems(session, request), options);
      await printAnswer(await send(session, request), options);
    });
}

/** Collects `name=value` into an object. */
function field(word: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(word) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It should be like name=value.');
  const isJson = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(value);
  // A field called __proto__ is a field.
  return Object.fromEntries([...Object.entries(before), [name, isJson ? JSON.parse(value) : value]]);
}

async function bodyOf({ data, file, field: fields }: ApiOptions): Promise<string | undefined> {
  const given = [data, file, fields].filter((one) => one !== undefined);
  if (given.length > 1)
    throw new CommandError('Give the body by one of --data, --file and --field.', exitCodes.usage);
  if (fields !== undefined) return JSON.stringify(fields);
  return file === undefined ? data : readText(file);
}

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()];
      const isName = at > 0 && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
      if (isName && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return [name, value];
      throw new CommandError(`"${line}" is not a header such as "accept: text/csv".`, exitCodes.usage);
    }),
  );
}

interface ApiRequest {
  method: string;
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
}

/** Prepares a request to the service; credentials are sent nowhere else. */
function requestOf(
  { client, credentials }: Session,
  word: string,
  named: string,
  more: Pick<ApiRequest, 'body' | 'headers'>,
): ApiRequest {
  const method = word.toUpperCase();
  if (!methods.includes(method))
    throw new CommandError(
      `${word} is not a method. It should be one of ${methods.join(', ')}.`,
      exitCodes.usage,
    );
  if (more.body !== undefined && (method === 'GET' || method === 'HEAD'))
    throw new CommandError(`${method} takes no body.`, exitCodes.usage);
  if (named.includes('{project}') && credentials.project === undefined)
    throw new CommandError('Choose a project first: ploidy projects use NAME.', exitCodes.usage);
  const path = named
    .replaceAll('{account}', encodeURIComponent(credentials.account ?? ''))
    .replaceAll('{project}', encodeURIComponent(credentials.project ?? ''));
  const relative = /^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith('/') ? path : `/${path}`;
  const url = URL.canParse(relative, client.origin) ? new URL(relative, client.origin) : undefined;
  if (url?.origin !== new URL(client.origin).origin || url.username !== '')
    throw new CommandError(
      `"${named}" is not a path of ${client.origin}, such as /v1/projects.`,
      exitCodes.usage,
    );
  return { method, path: `${belowService(url, client.origin)}${url.search}`, ...more };
}

/** Returns the path of an address from the root of the service, which may have a path on its host. Answers refer with it. */
function belowService({ pathname }: URL, service: string): string {
  const base = new URL(service).pathname.replace(/\/$/, '');
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
}

async function send({ client }: Session, request: ApiRequest): Promise<Response> {
  const { method, path, body, headers } = request;
  // Paths of the document are all that the types know.
  const call = client.api.request as unknown as (
    method: string,
    path: string,
    options: object,
  ) => Promise<{ response: Response }>;
  const options = {
    ...(body !== undefined && { body, bodySerializer: (text: unknown) => text }),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    parseAs: 'stream' as const,
  };
  return (await call(method, path, options)).response;
}

/** Reads the items of all pages: those of the only array of each page. */
async function allItems(session: Session, request: ApiRequest): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let path: string | undefined = request.path; path !== undefined; ) {
    const page = (await (await send(session, { ...request, path })).json()) as Record<string, unknown>;
    const arrays = Object.values(page ?? {}).filter((value) => Array.isArray(value));
    if (arrays.length !== 1)
      throw new CommandError('The answer is not a page of a list: it does not have one array.');
    items.push(...(arrays[0] ?? []));
    path = nextPath(path, page);
  }
  return items;
}

function nextPath(path: string, page: Record<string, unknown>): string | undefined {
  const links = page['links'] instanceof Object ? page['links'] : {};
  const token = page['nextPageToken'] ?? nextToken(links);
  if (typeof token !== 'string') return undefined;
  const [place = '', query] = path.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('nextPageToken', token);
  return `${place}?${parameters}`;
}

async function printAnswer(response: Response, options: ApiOptions): Promise<void> {
  if (options.include) {
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\n`);
    process.stdout.write(`HTTP ${response.status} ${response.statusText}\n${headers.join('')}\n`);
  }
  if (response.body === null) return;
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  if (options.pick === undefined && !(isJson && process.stdout.isTTY)) {
    await printChunks(response.body);
    if (isJson) process.stdout.write('\n');
    return;
  }
  const text = await response.text();
  try {
    printJson(JSON.parse(text), options);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ClientError('The answer is not JSON.', { status: response.status, code: 'FOREIGN_ANSWER' });
  }
}

/** Prints a document, or the values of it that were picked: strings as they are, one a line. */
function printJson(document: unknown, { pick }: ApiOptions): void {
  if (pick === undefined) return void process.stdout.write(`${documentText(document, 2)}\n`);
  for (const value of valuesAt(document, pick))
    process.stdout.write(`${typeof value === 'string' ? value : documentText(value)}\n`);
}
