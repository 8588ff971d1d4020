import {
  FormBrowser,
  hiddenOf,
  makePerson,
} from '../../packages/server/src/domains/authentication/sign-in/tests/form-browser.fixture.ts';
import { signedIn } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import type { Household } from '../isolation/world.ts';
import { openHousehold } from '../isolation/world.ts';
import type { TestApp } from '../support/app.ts';
import type { Operation } from './document.ts';
import type { Answered } from './wire.ts';

/** Kind of id that a field of this name holds, by the last word of the resource's path. */
const collections: Readonly<Record<string, string>> = {
  account: 'accounts',
  'Service-Account': 'accounts',
  datasetId: 'projects',
  dataset_id: 'projects',
  projectId: 'projects',
  ownerProject: 'projects',
  project: 'projects',
  fileId: 'files',
  cohortId: 'cohorts',
  cohort_id: 'cohorts',
  clientId: 'clients',
  client_id: 'clients',
  policyId: 'policies',
  delete: 'policies',
  ehrId: 'ehrs',
  syncId: 'syncs',
  queryId: 'query',
  referenceId: 'references',
  referenceSetId: 'referencesets',
  readGroupSetId: 'readgroupsets',
  group: 'groups',
  user: 'users',
  userId: 'users',
  username: 'users',
  nextPageToken: 'tokens',
  pageToken: 'tokens',
  proof: 'proofs',
};

/** Number of created resources remembered per kind. */
const madeMax = 4;
/** Signed addresses that are remembered, and how many of them are of what the world began with. */
const signedMax = 12;
const keptSigned = 6;

/** An account that holds one of everything, and what requests make in it. */
export class FuzzWorld {
  readonly app: TestApp;
  readonly household: Household;
  /** Resources that other requests depend on: no DELETE names them. */
  readonly #kept: Map<string, string[]>;
  readonly #made = new Map<string, string[]>();
  readonly #signed: string[];
  cookie = '';

  private constructor(app: TestApp, household: Household, kept: Map<string, string[]>, signed: string[]) {
    this.app = app;
    this.household = household;
    this.#kept = kept;
    this.#signed = signed;
  }

  static async open(app: TestApp, account: string): Promise<FuzzWorld> {
    const household = await openHousehold(app, account);
    await makePerson(app, `owner@${account}.test`);
    const world = new FuzzWorld(app, household, keptOf(household), await signedOf(household));
    await world.signIn();
    return world;
  }

  get key(): string {
    return this.household.owner.key;
  }

  /** Signs in a browser of the owner: requests may have signed out the one before. */
  async signIn(): Promise<void> {
    this.cookie = await signedIn(this.app, this.household.owner.userId);
    const browser = new FormBrowser(this.app.address);
    const [name = '', value = ''] = this.cookie.split('=');
    browser.cookies.set(name, value);
    const page = await browser.open('/v1/security');
    this.cookie = browser.cookie;
    const { proof } = hiddenOf(page.text, '/v1/security/password');
    this.#kept.set('proofs', [proof ?? '']);
  }

  /** Ids for a field of an operation: real ones, and for DELETE only of what requests have made. */
  idsFor(operation: Operation, name: string): readonly string[] {
    const collection = collectionOf(operation, name);
    if (collection === undefined) return [];
    const made = this.#made.get(collection) ?? [];
    const kept = this.#kept.get(collection) ?? [];
    // The caller's key is good for the kept account only.
    if (name === 'account' || name === 'Service-Account') return kept;
    return operation.method === 'DELETE' ? made : [...kept, ...made];
  }

  /** Addresses with a good signature for an operation that needs one: path and query. */
  signedFor({ path }: Operation): readonly string[] {
    return this.#signed.filter((address) => sameShape(path, address.split('?', 1)[0] ?? ''));
  }

  /** Remembers what an answer made. */
  learn(operation: Operation, { status, headers, body }: Answered): void {
    if (status >= 300 || body.length === 0 || headers['content-disposition']) return;
    if (!headers['content-type']?.startsWith('application/json')) return;
    const answer = JSON.parse(body.toString());
    const token = answer.nextPageToken ?? /nextPageToken=([^&]+)/.exec(answer.links?.next ?? '')?.[1];
    if (token) this.#remember('tokens', token);
    if (operation.method !== 'POST' && operation.method !== 'PUT') return;
    if (typeof answer.uploadUrl === 'string') this.#rememberSigned(answer.uploadUrl);
    const id = answer.uploadId ?? answer.queryId ?? answer.id;
    const collection = operation.path.split('/').findLast((part) => part && !part.startsWith('{'));
    if (typeof id === 'string' && collection)
      this.#remember(collection === 'sync' ? 'syncs' : collection, id);
  }

  #rememberSigned(address: string): void {
    this.#signed.push(address.slice(this.app.address.length));
    if (this.#signed.length > signedMax) this.#signed.splice(keptSigned, 1);
  }

  #remember(collection: string, id: string): void {
    const made = this.#made.get(collection) ?? [];
    if (made.includes(id)) return;
    this.#made.set(collection, [...made, id].slice(-madeMax));
  }
}

/** Kind of a field's ids: named by `$files`, by the path segment before `id`, or by the field's name. */
function collectionOf({ path }: Operation, name: string): string | undefined {
  if (name.startsWith('$')) return name.slice(1);
  if (name !== 'id') return collections[name];
  const parts = path.split('/');
  const before = parts[parts.indexOf('{id}') - 1] ?? '';
  return { reads: 'readgroupsets', variants: 'files' }[before] ?? before;
}

function keptOf({ ids, owner }: Household): Map<string, string[]> {
  return new Map(
    Object.entries({
      accounts: [ids.account],
      projects: [ids.project, ids.project, ids.otherProject],
      files: [ids.file, ids.bam, ids.variants],
      uploads: [ids.partedUpload],
      ingestions: [ids.ingestion],
      readgroupsets: [ids.readGroupSet],
      referencesets: [ids.referenceSet],
      references: [ids.reference],
      query: [ids.query],
      'api-keys': [ids.key],
      groups: [ids.group],
      users: [owner.userId],
      invitations: [ids.invitation],
      policies: [ids.policy],
      clients: [ids.client],
      cohorts: [ids.cohort],
      ehrs: [ids.ehr],
      syncs: [ids.sync],
    }),
  );
}

function sameShape(pattern: string, path: string): boolean {
  const parts = path.split('/');
  const named = pattern.split('/');
  return (
    parts.length === named.length && named.every((part, at) => part.startsWith('{') || part === parts[at])
  );
}

async function signedOf({ call, ids, owner }: Household): Promise<string[]> {
  const get = async (path: string) => (await call('GET', path)).body;
  const ticket = async (kind: string, id: string): Promise<string> => {
    const { htsget } = await get(`/${ids.account}/v1/htsget/${kind}/${id}`);
    return htsget.urls.find(({ url }: { url: string }) => url.startsWith('http')).url;
  };
  const addresses = [
    (await get(`/v1/files/${ids.file}?include=downloadUrl`)).downloadUrl,
    (await get(`/v1/uploads/${ids.partedUpload}/parts/1`)).uploadUrl,
    (await get(`/v1/users/${owner.userId}/picture`)).downloadUrl,
    await ticket('reads', ids.readGroupSet),
    await ticket('variants', ids.variants),
  ].map((address) => new URL(address));
  return [ids.uploadUrl, ...addresses.map(({ pathname, search }) => `${pathname}${search}`)];
}
