import type { Pages } from '../api/paging.ts';
import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import type { Audit } from '../domains/audit/index.ts';
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
import type { Secrets } from '../platform/secrets/index.ts';

export interface PeopleDeps {
  records: Records;
  secrets: Secrets;
  audit: Audit;
  blobs: Blobs;
  groups: Groups;
  pages: Pages;
  /** Public address of the service. */
  publicUrl: () => string;
}

/** Composes the routes of groups, members and profiles. */
export function openPeople(deps: PeopleDeps, config: Config): Route[] {
  const { records, secrets, audit, blobs, groups, pages, publicUrl } = deps;
  const people = new People(records);
  const pictures = new Pictures({
    records,
    blobs,
    audit,
    signingKey: secrets.derive('signed-urls'),
    publicUrl,
    addressLifeMs: config.signedUrlLifeMs,
  });
  return [
    ...groupRoutes(groups, pages),
    ...memberRoutes({ groups, members: new Members(records, audit, groups), people, pages }),
    ...peopleRoutes({ records, people, pages }),
    ...attributeRoutes(new Attributes(records, audit), people),
    ...userRoutes(new Profiles(records, audit)),
    ...pictureRoutes({ pictures, visible: (caller, username) => people.visible(caller, username) }),
  ];
}
