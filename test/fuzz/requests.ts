import { type Random, randomOf } from '../../samples/generator/random.ts';
import { type Operation, operations, type Parameter, type Schema } from './document.ts';
import { textExamples, wholeExamples } from './examples.ts';
import { type IdsOf, jsonFor, type Mood, spoilt, standingFor, textFor, wildParameters } from './values.ts';
import type { Sent } from './wire.ts';
import type { FuzzWorld } from './world.ts';

/** Half of all requests are as the document asks, and so go deep; a quarter errs here and there, a quarter everywhere. */
const moods: readonly Mood[] = [
  { near: 0, wild: 0, more: 0.1 },
  { near: 0, wild: 0.02, more: 0.3 },
  { near: 0.15, wild: 0.05, more: 0.3 },
  { near: 0.2, wild: 0.3, more: 0.8 },
];

/** Returns the request of this number, which depends on the seed and on what the world holds. Every operation gets its turn. */
export function requestOf(
  world: FuzzWorld,
  seed: number,
  number: number,
): { operation: Operation; sent: Sent } {
  const operation = operations[number % operations.length];
  if (!operation) throw new RangeError('The document describes no operation.');
  const random = randomOf(seed, 'request', number);
  const mood = random.pick(moods);
  const ids: IdsOf = (name) => world.idsFor(operation, name);
  const { body, type } = bodyFor(operation, random, mood, ids);
  const strange = mood.wild >= 0.05;
  const headers: [string, string][] = [
    ...credentials(operation, world, random, strange),
    ...(type === undefined ? [] : [['content-type', type] as [string, string]]),
    ...(strange && random.chance(0.4) ? [random.pick(oddHeaders), random.pick(oddHeaders)] : []),
  ];
  const method = strange && random.chance(0.06) ? random.pick(otherMethods) : operation.method;
  const target = targetFor(operation, world, random, mood, ids);
  return { operation, sent: { method, target, headers: strange ? headers : withoutTwins(headers), body } };
}

const otherMethods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'UPDATE',
  'TRACE',
  'PROPFIND',
];

const oddHeaders: [string, string][] = [
  ['range', 'bytes=0-0,2-3'],
  ['range', 'bytes=-99999999999999999999'],
  ['range', 'bytes=5-1'],
  ['range', 'lines=1-2'],
  ['if-none-match', '*'],
  ['if-none-match', 'W/"x", "y'],
  ['if-match', '"\xff"'],
  ['if-modified-since', 'yesterday'],
  ['idempotency-key', 'the same again'],
  ['idempotency-key', 'x'.repeat(5000)],
  ['idempotency-key', '\xe9\xff'],
  ['x-request-id', '../../etc'],
  ['x-request-id', 'a'.repeat(64)],
  ['accept', 'application/xml'],
  ['accept', 'text/html;q=x, */*;q=9'],
  ['accept-language', 'de-CH-1996,x;q=2'],
  ['accept-encoding', 'br, gzip;q=0'],
  ['content-encoding', 'gzip'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-type', 'application/json'],
  ['content-md5', 'x'],
  ['content-range', 'bytes 0-1/9'],
  ['service-account', 'nobody-has-this'],
  ['service-account', '\xff__proto__'],
  ['authorization', 'Basic Og=='],
  ['authorization', 'Bearer'],
  ['authorization', `Bearer ${'x'.repeat(4000)}`],
  ['cookie', 'ploidy-session=%00; =; ;;x'],
  ['origin', 'null'],
  ['origin', 'https://elsewhere.example'],
  ['sec-fetch-site', 'cross-site'],
  ['access-control-request-method', 'POST'],
  ['host', 'elsewhere.example'],
  ['forwarded', 'for="[::1]"'],
  ['x-forwarded-for', '1.2.3.4, unknown'],
  ['x-forwarded-proto', 'https,http'],
  ['upgrade', 'websocket'],
  ['expect', '200-maybe'],
  ['te', 'trailers'],
  ['transfer-encoding', 'chunked'],
  ['x-http-method-override', 'DELETE'],
];

/** Names of the account and of who asks: by what the document says opens the operation. */
function credentials(
  operation: Operation,
  world: FuzzWorld,
  random: Random,
  strange: boolean,
): [string, string][] {
  const account: [string, string][] = operation.parameters.some((one) => one.name === 'Service-Account')
    ? [['service-account', world.household.ids.account]]
    : [];
  if (strange && random.chance(0.05)) return account;
  const cookie: [string, string][] = [
    ['cookie', world.cookie],
    ['origin', world.app.address],
    ['sec-fetch-site', 'same-origin'],
  ];
  const { credentials: opening, path } = operation;
  if (opening.includes('apiKey') && random.chance(0.8)) return [...account, ['authorization', world.key]];
  if (opening.includes('sessionCookie') || path.includes('/oauth/')) return [...account, ...cookie];
  return account;
}

function withoutTwins(headers: [string, string][]): [string, string][] {
  return [...new Map(headers)];
}

function targetFor(operation: Operation, world: FuzzWorld, random: Random, mood: Mood, ids: IdsOf): string {
  const addresses = world.signedFor(operation);
  const isSigned = operation.parameters.some(({ name }) => name === 'signature');
  if (isSigned && addresses.length > 0 && !random.chance(mood.wild)) {
    const signed = random.pick(addresses);
    const bent = random.pick([
      `${signed}&x=1`,
      signed.replace(/expires=\d+/, 'expires=1e400'),
      signed.slice(0, -1),
    ]);
    return random.chance(mood.near + mood.wild) ? bent : signed;
  }
  const part = (one: Parameter): string =>
    random.chance(mood.wild) ? random.pick(wildParameters) : encoded(meantBy(one, random, ids), random, mood);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name);
    return parameter ? part(parameter) : '';
  });
  const whole = wholeOf(operation, random);
  if (whole && Object.keys(operation.requests).length === 0)
    return `${path}?${pairsOf(whole, random, mood, ids)}`;
  const query = operation.parameters
    .filter((one) => one.in === 'query' && (one.required || random.chance(mood.more)))
    .flatMap((one) => {
      const pair = `${one.name}=${part(one)}`;
      if (!random.chance(mood.near)) return [pair];
      return random.pick([[], [pair, pair], [`${one.name}[]=${part(one)}`], [one.name], [`${one.name}.x=1`]]);
    });
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

const unknownId = '01990000-0000-7000-8000-0000000000ff';

/** Returns a real thing, or an id of nothing where no thing of the kind is known. */
function meantBy({ in: place, name, schema }: Parameter, random: Random, ids: IdsOf): string {
  const isId = place === 'path' && schema.type === 'string' && !schema.pattern && !textExamples[name];
  return isId && ids(name).length === 0 ? unknownId : textFor(schema, name, random, ids);
}

/** Percent-encoded, in strange moods also where there is no need, or twice. */
function encoded(text: string, random: Random, mood: Mood): string {
  const usual = encodeURIComponent(text);
  if (!random.chance(mood.near)) return usual;
  const all = Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return random.pick([all, encodeURIComponent(usual), usual.toUpperCase(), `${usual}%20`]);
}

const oddTypes = [
  'text/plain',
  'application/xml',
  'multipart/form-data',
  'application/json; charset=latin1',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded',
  'json',
  ';;;',
  '',
];

function bodyFor(
  operation: Operation,
  random: Random,
  mood: Mood,
  ids: IdsOf,
): { body: Buffer | undefined; type: string | undefined } {
  const [type, content] = Object.entries(operation.requests)[0] ?? [];
  const isStream = type !== undefined && content?.schema?.type === undefined && !type.includes('json');
  if (type === undefined || !content) {
    return random.chance(mood.wild) ? { body: Buffer.from('{}'), type: 'application/json' } : none;
  }
  const sentType = random.chance(mood.wild / 3) ? random.pick(oddTypes) : type;
  if (isStream) return { body: randomBytes(random), type: sentType === '*/*' ? 'image/gif' : sentType };
  const whole = wholeOf(operation, random);
  const text = type.includes('form')
    ? formFor(content.schema ?? {}, whole, random, mood, ids)
    : whole
      ? spoilt(whole, random, mood, ids)
      : jsonFor(content.schema ?? {}, 'body', random, mood, ids);
  const broken = random.chance(mood.wild / 3);
  return { body: broken ? brokenBytes(text, random) : Buffer.from(text), type: sentType };
}

const none = { body: undefined, type: undefined };

function randomBytes(random: Random): Buffer {
  const bytes = Array.from({ length: random.below(300) }, () => random.below(256));
  return Buffer.concat([Buffer.from(random.pick(['GIF89a', '', '\x89PNG'])), Buffer.from(bytes)]);
}

function brokenBytes(text: string, random: Random): Buffer {
  const at = random.below(text.length + 1);
  return random.pick([
    () => Buffer.from(text.slice(0, at)),
    () => Buffer.from(`${text}}`),
    () => Buffer.from(`\ufeff${text}`),
    () =>
      Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from([0xff, 0xc0, 0x80]),
        Buffer.from(text.slice(at)),
      ]),
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.from(`${text.slice(0, at)}\u0000${text.slice(at)}`),
    () => Buffer.from(text.replaceAll('"', "'")),
    () => Buffer.from('[{'.repeat(30_000)),
  ])();
}

function wholeOf({ name }: Operation, random: Random): Record<string, unknown> | undefined {
  const examples = wholeExamples[name];
  return examples && random.chance(0.6) ? random.pick(examples) : undefined;
}

function formFor(
  schema: Schema,
  whole: Record<string, unknown> | undefined,
  random: Random,
  mood: Mood,
  ids: IdsOf,
): string {
  if (whole) return pairsOf(whole, random, mood, ids);
  const fields = Object.entries(schema.properties ?? {})
    .filter(([name]) => schema.required?.includes(name) || random.chance(mood.more))
    .map(([name, one]) => [name, textFor(one, name, random, ids)] as const);
  return pairsOf(Object.fromEntries(fields), random, mood, ids);
}

/** Names and values as in forms and queries. */
function pairsOf(fields: Record<string, unknown>, random: Random, mood: Mood, ids: IdsOf): string {
  const pairs = Object.entries(fields).flatMap(([name, field]) => {
    const text = standingFor(String(field), random, ids);
    const pair = `${name}=${random.chance(mood.wild) ? random.pick(wildParameters) : encodeURIComponent(text)}`;
    return random.chance(mood.near / 2) ? [pair, pair] : [pair];
  });
  return pairs.join('&');
}
