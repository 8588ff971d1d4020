export { hashesMade, hashPassword, verifyPassword } from './hashing.ts';
export {
  newPasswordShape,
  passwordLengthMin,
  passwordMistake,
  passwordShape,
  repeatedShape,
} from './rules.ts';
