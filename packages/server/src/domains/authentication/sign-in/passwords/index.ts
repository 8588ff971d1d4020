export { hashesMade, hashPassword, verifyPassword } from './hashing.ts';
export {
  newPasswordShape,
  passwordFault,
  passwordLengthMin,
  passwordShape,
  repeatedShape,
} from './rules.ts';
