import type { Config } from './config.ts';
import type { Audit } from './domains/audit/index.ts';
import { type Groups, groupRoutes } from './domains/groups/index.ts';
import {
  Attributes,
  attributeRoutes,
  Members,
  memberRoutes,
  People,
  peopleRoutes,
} from './domains/members/index.ts';
import { Pictures, Profiles, pictureRoutes, userRoutes } from './domains/users/index.ts';
import type { Pages } from './paging.ts';
import type { Blobs } from './platform/blobs/index.ts';
import type { Records } from './platform/records/index.ts';
import type { Secrets } from './platform/secrets/index.ts';
import type { Route } from './route.ts';

export interface PeopleParts {
  records: Records;
  secrets: Secrets;
  audit: Audit;
  blobs: Blobs;
  groups: Groups;
  pages: Pages;
  /** Where clients reach the service. */
  publicUrl: () => string;
}

/** Puts together groups, who is in them, and what people show of themselves: their routes. */
export function openPeople(parts: PeopleParts, config: Config): Route[] {
  const { records, secrets, audit, blobs, groups, pages, publicUrl } = parts;
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
