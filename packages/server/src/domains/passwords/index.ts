export { hashesMade, hashPassword, verifyPassword } from './hashing.ts';
export { passwordLengthMin, passwordMistake, passwordShape } from './rules.ts';
