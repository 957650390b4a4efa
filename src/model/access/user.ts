// Users with password login. The store keeps only the hash; responses contain neither password nor hash.
import { z } from 'zod';
import { minPasswordCharacters } from '../limits.ts';
import { strictNameFault } from '../resource/names.ts';
import { flag, stringList, text } from '../schema/quick-types.ts';

export const userSchema = z.object({
  username: text('').describe('Name to log in with.'),
  /** Plain text; accepted in requests only. */
  password: text().optional().describe('Password in clear; never read back.'),
  /** bcrypt. */
  password_hash: text().optional().describe('Its bcrypt hash; never read back.'),
  groups: stringList().describe('Groups the user is in; bindings name them.'),
  disabled: flag(false).describe('Whether logins are refused.'),
});
export type User = z.infer<typeof userSchema>;

/** Why a plain password is invalid, or null. */
export const passwordFault = (password: string): string | null => {
  if (password === '') return "password can't be empty";
  if ([...password].length >= minPasswordCharacters) return null;
  return `password length must be at least ${minPasswordCharacters} characters`;
};

const bcryptHash = /^\$2[abxy]\$\d{2}\$[./A-Za-z0-9]{53}$/;

const secretFault = ({ password, password_hash: hash = '' }: User): string | null => {
  if (password !== undefined && (password !== '' || hash === '')) return passwordFault(password);
  if (hash === '') return 'a password or password_hash is required: responses and dumps contain neither';
  return bcryptHash.test(hash) ? null : 'password_hash must be a bcrypt hash';
};

/** The first failing rule of a new or replaced user, or null. */
export const validateUser = (user: User): string | null =>
  strictNameFault('username', user.username) ?? secretFault(user);
