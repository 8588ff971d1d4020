export { createUser, emailKey, findUser, type Profile, type User } from './users.ts';
