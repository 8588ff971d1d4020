import type { Command } from 'commander';
import { readText } from '../input.ts';
import { openSession } from '../session.ts';
import { printChunks } from './query-rows.ts';

interface ApiOptions {
  data?: string;
  file?: string;
}

export function addApi(program: Command): void {
  program
    .command('api')
    .description('send a request with your credentials and print the body of the answer')
    .argument('<method>', 'such as GET')
    .argument('<path>', 'such as /v1/projects?pageSize=5; {account} becomes your account')
    .option('-d, --data <json>', 'body of the request')
    .option('-f, --file <path>', 'read the body from a file; - for standard input')
    .action(async (method: string, path: string, options: ApiOptions, command: Command) => {
      const { client, credentials } = await openSession(command);
      const body = options.file === undefined ? options.data : await readText(options.file);
      const address = path.replace('{account}', credentials.account);
      const request = {
        ...(body !== undefined && { body, bodySerializer: (text: unknown) => text }),
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        parseAs: 'stream' as const,
      };
      // Paths of the document are all that the types know.
      const send = client.api.request as unknown as (
        method: string,
        path: string,
        options: object,
      ) => Promise<{ data?: ReadableStream<Uint8Array>; response: Response }>;
      const { data, response } = await send(method.toLowerCase(), address, request);
      if (response.status === 204 || data === undefined || data === null) return;
      await printChunks(data);
    });
}
