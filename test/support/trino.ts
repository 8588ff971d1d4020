/** Answer to a statement over the Trino protocol, read to its end. */
export interface TrinoAnswer {
  columns: { name: string; type: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into rows of every shape
  rows: any[][];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into errors of every shape
  error: any;
  updateType: string | undefined;
  /** Headers of the last page. */
  headers: Headers;
  pages: number;
}

/** Client of the Trino protocol that does no more than the protocol asks for. */
export class TrinoClient {
  readonly #address: string;
  readonly #headers: Record<string, string>;

  constructor(address: string, key: string, headers: Record<string, string> = {}) {
    this.#address = address;
    this.#headers = { authorization: `Bearer ${key}`, 'x-trino-user': 'tester', ...headers };
  }

  /** Sends a statement; answers the address of its first page. */
  async send(sql: string, headers: Record<string, string> = {}): Promise<string> {
    const all = { ...this.#headers, ...headers };
    const response = await fetch(`${this.#address}/v1/statement`, {
      method: 'POST',
      body: sql,
      headers: all,
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
    return JSON.parse(text).nextUri;
  }

  ask(uri: string, method = 'GET'): Promise<Response> {
    return fetch(uri, { method, headers: this.#headers });
  }

  async run(sql: string, headers: Record<string, string> = {}): Promise<TrinoAnswer> {
    return this.read(await this.send(sql, headers));
  }

  /** Waits for the first page that has rows, an error, or no page behind it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into pages of every shape
  async firstRows(from: string): Promise<any> {
    for (let next = from; ; ) {
      const page = JSON.parse(await (await this.ask(next)).text());
      if (page.data || page.error || !page.nextUri) return page;
      next = page.nextUri;
    }
  }

  /** Reads an answer from a page to its end. */
  async read(from: string): Promise<TrinoAnswer> {
    const answer = {
      columns: [],
      rows: [],
      error: undefined,
      updateType: undefined,
      pages: 0,
    } as unknown as TrinoAnswer;
    for (let next: string | undefined = from; next; ) {
      const response = await this.ask(next);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
      const page = JSON.parse(text);
      answer.rows.push(...(page.data ?? []));
      answer.columns = page.columns ?? answer.columns;
      answer.error = page.error;
      answer.updateType = page.updateType ?? answer.updateType;
      answer.headers = response.headers;
      answer.pages += 1;
      next = page.nextUri;
    }
    return answer;
  }
}
