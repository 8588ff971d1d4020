export { createUser, emailKey, findUser, type Profile, proveEmail, type User } from './users.ts';
