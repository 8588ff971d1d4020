import type { Pages } from '../api/paging.ts';
import type { Route } from '../api/route.ts';
import type { Audit } from '../domains/audit/index.ts';
import type { Holders, SignedAddresses } from '../domains/identity/addresses/index.ts';
import { type Groups, groupRoutes } from '../domains/identity/groups/index.ts';
import {
  Attributes,
  attributeRoutes,
  Members,
  memberRoutes,
  People,
  peopleRoutes,
} from '../domains/identity/members/index.ts';
import { Pictures, Profiles, pictureRoutes, userRoutes } from '../domains/identity/users/index.ts';
import type { Blobs } from '../platform/blobs/index.ts';
import type { Records } from '../platform/records/index.ts';
import { type HealthDeps, healthRoute } from './health.ts';
import { endCredentialsIn } from './left-account.ts';

interface PeopleDeps extends HealthDeps {
  records: Records;
  audit: Audit;
  blobs: Blobs;
  groups: Groups;
  pages: Pages;
  addresses: SignedAddresses;
  holders: Holders;
}

/** Composes the routes of groups, members and profiles, and that of the state that administrators see. */
export function openPeople(deps: PeopleDeps): Route[] {
  const { records, audit, groups, pages } = deps;
  const people = new People(records);
  const pictures = new Pictures(deps);
  return [
    healthRoute(deps),
    ...groupRoutes(groups, pages),
    ...memberRoutes({
      groups,
      members: new Members(records, audit, groups, endCredentialsIn),
      people,
      pages,
    }),
    ...peopleRoutes({ records, people, pages }),
    ...attributeRoutes(new Attributes(records, audit), people),
    ...userRoutes(new Profiles(records, audit)),
    ...pictureRoutes({ pictures, visible: (caller, username) => people.visible(caller, username) }),
  ];
}
