export { keepAdministrator } from './administrators.ts';
export { attributeRoutes } from './attribute-routes.ts';
export { Attributes } from './attributes.ts';
export { memberRoutes } from './member-routes.ts';
export { Members } from './members.ts';
export { belongsTo, type MembershipEnd } from './membership.ts';
export { changeOwner } from './owner.ts';
export { People } from './people.ts';
export { peopleRoutes } from './people-routes.ts';
