import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { faultIn, type Operation, operationAt, operations } from './document.ts';
import { requestOf } from './requests.ts';
import { type Answered, curlOf, type Sent, Wire } from './wire.ts';
import type { FuzzWorld } from './world.ts';

/** A request whose answer is not as it must be. */
export interface Finding {
  seed: number;
  number: number;
  operation: string;
  fault: string;
  answer: string;
  curl: string;
}

/** Number of concurrent requests. */
const atOnce = 8;
/** A browser is signed in anew after so many. */
const perSignIn = 400;

/** Sends generated requests to one service and judges the answers by the API document. */
export class Campaign {
  readonly findings: Finding[] = [];
  /** Answers by operation and status. */
  readonly statuses = new Map<string, Map<number, number>>();
  readonly #world: FuzzWorld;
  readonly #seed: number;
  readonly #wire: Wire;
  #sent = 0;

  constructor(world: FuzzWorld, seed: number) {
    this.#world = world;
    this.#seed = seed;
    this.#wire = new Wire(world.app.address);
  }

  get sent(): number {
    return this.#sent;
  }

  /** Operations of the document that answered with success at least once. */
  get reached(): number {
    return operations.filter(({ name }) =>
      [...(this.statuses.get(name)?.keys() ?? [])].some((one) => one < 400),
    ).length;
  }

  /** Sends the next so many. In small groups, so that the same seed asks the same again. */
  async send(count: number): Promise<void> {
    for (const end = this.#sent + count; this.#sent < end; ) {
      if (this.#sent % perSignIn < atOnce) await this.#world.signIn();
      const numbers = Array.from({ length: Math.min(atOnce, end - this.#sent) }, (_, at) => this.#sent + at);
      this.#sent += numbers.length;
      const asked = numbers.map((number) => ({ number, ...requestOf(this.#world, this.#seed, number) }));
      const answers = await Promise.all(asked.map(({ sent }) => this.#wire.send(sent)));
      for (const [at, { number, operation, sent }] of asked.entries()) {
        this.#judge(number, operation, sent, answers[at] ?? 'nothing was sent');
      }
    }
  }

  close(): void {
    this.#wire.close();
  }

  #judge(number: number, meant: Operation, sent: Sent, answer: Answered | string): void {
    const operation = operationAt(sent.method, sent.target);
    if (typeof answer === 'string') {
      this.#find(number, operation ?? meant, sent, answer, '');
      return;
    }
    this.#count(operation?.name ?? 'none', answer.status);
    if (operation) this.#world.learn(operation, answer);
    const fault = faultIn(operation, sent.method, answer) ?? this.#leakIn(answer);
    if (fault) this.#find(number, operation ?? meant, sent, fault, answer.body.toString().slice(0, 500));
  }

  /** Asserts that no answer names the host's folders or the code. */
  #leakIn({ body }: Answered): string | undefined {
    const inside = [this.#world.app.folder, process.cwd(), 'node_modules/', 'SQLITE_'];
    const found = inside.find((word) => body.includes(word));
    return found === undefined ? undefined : `the answer names ${found}`;
  }

  #count(name: string, status: number): void {
    const counts = this.statuses.get(name) ?? new Map<number, number>();
    counts.set(status, (counts.get(status) ?? 0) + 1);
    this.statuses.set(name, counts);
  }

  #find(number: number, { name }: Operation, sent: Sent, fault: string, answer: string): void {
    const secrets = new Map([
      [this.#world.key, 'authorization: $KEY'],
      [this.#world.cookie, 'cookie: $COOKIE'],
    ]);
    this.findings.push({
      seed: this.#seed,
      number,
      operation: name,
      fault,
      answer,
      curl: curlOf(sent, secrets),
    });
  }
}

/** Findings as people read them: each kind once, with the first request that shows it. */
export function summary(findings: readonly Finding[]): string {
  const kinds = Map.groupBy(findings, ({ operation, fault }) => `${operation}: ${fault}`);
  return [...kinds]
    .map(([kind, [first, ...more]]) => {
      const where = `seed ${first?.seed}, request ${first?.number}${more.length > 0 ? `, and ${more.length} more` : ''}`;
      return `${kind} (${where})\n  ${first?.curl}\n  → ${first?.answer}`;
    })
    .join('\n');
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that this process holds in JavaScript's heap and in buffers after all garbage has been collected. */
export function heldBytes(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
