// Users: stored with a password hash, and disabled instead of deleted.
import { parseOptions } from '@node-rs/bcrypt';
import { z } from 'zod';
import type { Resource } from '../../actors/resources/resource-table.ts';
import type { Resources } from '../../actors/resources/resources.ts';
import { passwordFault, type User } from '../../model/access/user.ts';
import { alreadyExists, MonError } from '../../model/errors.ts';
import { userKind } from '../../model/kinds/access.ts';
import { decode } from '../../model/schema/decode.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { StoredUser } from '../auth/credentials.ts';
import type { HashingQueue } from '../auth/hashing-queue.ts';
import { type JsonObject, objectBody } from '../body.ts';
import { checkConditions } from '../conditions.ts';
import { requireRightsOfUser } from '../grants.ts';
import { maxBcryptCost } from '../limits.ts';
import { decodeResource, placeBody, validateResource } from '../resource-bodies.ts';
import { collectionUrl, resourceRoutes } from '../resource-routes.ts';
import {
  type AccessRule,
  type AuthenticatedCall,
  created,
  type GuardedRoute,
  noContent,
  parameter,
} from '../route.ts';
import {
  type BodyDoc,
  createdAnswer,
  json,
  one as oneOf,
  removedAnswer,
  resourceDocs,
} from '../route-doc.ts';

export interface UserServices {
  readonly table: Resources;
  readonly hashing: HashingQueue;
  readonly authenticator: Pick<Authenticator, 'credentials' | 'passwordChanged'>;
}

const collection = collectionUrl(userKind);
const one = `${collection}/:name`;
const onOne: AccessRule = { resource: userKind.rbacResource, name: ({ name }) => name ?? '' };
const onSelf: AccessRule = { ...onOne, selfParameter: 'name' };

const idOf = (call: AuthenticatedCall) => ({
  segment: userKind.path,
  namespace: '',
  name: parameter(call, 'name'),
});

const invalid = (message: string): MonError => new MonError('invalid', message);

const read = <T>(schema: z.ZodType<T>, call: AuthenticatedCall): T => {
  const asked = decode(schema, objectBody(call.body), '');
  if (!asked.ok) throw invalid(asked.message);
  return asked.value;
};

/** The cost of a supplied hash determines how long a login takes; a very high one would block all logins. */
const checkHash = (hash: string): string => {
  validateResource(userKind, { username: 'x', password_hash: hash, groups: [], disabled: false });
  if (parseOptions(hash).cost > maxBcryptCost)
    throw invalid(`password_hash has a cost above ${maxBcryptCost}; hash the password with a lower one`);
  return hash;
};

/** The stored form: the hash instead of the password. */
const sealUser = async (user: User, hashing: HashingQueue): Promise<Resource> => {
  const { password, password_hash: hash, ...rest } = user;
  if (hash) checkHash(hash);
  if (!password) return { ...rest, password_hash: hash };
  if (hash && !(await hashing.verify(password, hash)))
    throw invalid('password does not match its password_hash');
  return { ...rest, password_hash: hash || (await hashing.hash(password)) };
};

const passwordSchema = z.object({ password: z.string(), password_hash: z.string() });
const resetSchema = z.object({ password_hash: z.string() });
const changeSchema = z.object({ password: z.string(), password_new: z.string() });

const docs = resourceDocs(userKind);
const exampleHash = '$2b$10$WQApVLr4XZBJJTKd7xQkLubFT4sS.Or.kMii0JbtkIdov4BhPWCl6';
const bodyOf = (schema: z.ZodType, example: object): BodyDoc => ({ shape: json(schema, example) });

const decodeUser = (body: JsonObject, name?: string): User => {
  placeBody(userKind, body, '', name);
  const user = decodeResource(userKind, body) as unknown as User;
  if (name !== undefined && user.username !== name)
    throw invalid(`the username (${user.username}) does not match the username on the request (${name})`);
  validateResource(userKind, user as unknown as Resource);
  return user;
};

/** A wrong current password counts as a failed login. */
const checkCurrent = async (
  { table, authenticator }: Pick<UserServices, 'table' | 'authenticator'>,
  call: AuthenticatedCall,
  password: string,
): Promise<void> => {
  const { name } = idOf(call);
  if (table.get(userKind.path, '', name) === undefined) throw new MonError('notFound');
  try {
    await authenticator.credentials.verify(name, password, call.address);
  } catch (error) {
    if (error instanceof MonError && error.kind === 'unauthenticated')
      throw invalid('the current password is wrong');
    throw error;
  }
};

/** A route that changes users, and answers with nothing but that it did. */
const alter = (
  method: 'PUT' | 'DELETE',
  path: string,
  summary: string,
  work: (call: AuthenticatedCall) => Promise<void>,
  more: {
    readonly access?: AccessRule;
    readonly body?: BodyDoc;
    readonly refusals?: readonly number[];
  } = {},
): GuardedRoute => ({
  method,
  url: one + path,
  access: more.access ?? onOne,
  doc: {
    tag: userKind.path,
    summary,
    answers: method === 'PUT' ? createdAnswer : removedAnswer,
    ...(more.body === undefined ? {} : { body: more.body }),
    ...(more.refusals === undefined ? {} : { refusals: more.refusals }),
  },
  handle: async (call) => {
    await work(call);
    return method === 'PUT' ? created() : noContent;
  },
});

/** The changes that several routes make. */
const changesOf = ({ table, authenticator }: Pick<UserServices, 'table' | 'authenticator'>) => {
  const change = async (
    call: AuthenticatedCall,
    alter: (user: User) => Partial<User>,
    /** The action, if it requires all permissions the user has afterwards. */
    granting?: string,
  ): Promise<void> => {
    const { name } = idOf(call);
    await table.update(idOf(call), (current) => {
      const next = { ...current, ...alter(current as unknown as User) };
      if (granting !== undefined) requireHeld(call, next, `${granting} ${name}`);
      return next;
    });
  };

  /** Setting a password, a group or the whole user allows the caller to act with its permissions. */
  const requireHeld = (call: AuthenticatedCall, user: Resource, what: string): void =>
    requireRightsOfUser(table, call.principal, user as unknown as StoredUser, what);

  /** After the commit, logins made with the old password end. */
  const setPassword = async (call: AuthenticatedCall, hash: string, granting?: string): Promise<void> => {
    await change(call, () => ({ password_hash: hash }), granting);
    await authenticator.passwordChanged(idOf(call).name, call.principal);
  };
  return { change, requireHeld, setPassword };
};

export const userRoutes = ({ table, hashing, authenticator }: UserServices): readonly GuardedRoute[] => {
  const { change, requireHeld, setPassword } = changesOf({ table, authenticator });
  return [
    ...resourceRoutes(userKind, table, { only: ['list', 'get'], readOne: onSelf }),
    {
      method: 'POST',
      url: collection,
      access: { resource: userKind.rbacResource },
      doc: { ...docs.create, answers: createdAnswer },
      handle: async (call) => {
        const user = decodeUser(objectBody(call.body));
        const id = { segment: userKind.path, namespace: '', name: user.username };
        if (table.get(id.segment, '', id.name) !== undefined) throw alreadyExists(id);
        requireHeld(call, user as unknown as Resource, `create the user ${user.username}`);
        await table.create(id, await sealUser(user, hashing));
        return created();
      },
    },
    alter(
      'PUT',
      '',
      'Create or replace a user',
      async (call) => {
        const id = idOf(call);
        const body = objectBody(call.body);
        const stored = table.get(id.segment, '', id.name) as StoredUser | undefined;
        // Responses contain no password; written back without one, the password is unchanged.
        const keepsPassword =
          stored !== undefined && body['password'] === undefined && !body['password_hash'];
        const given = keepsPassword ? { ...body, password_hash: stored.password_hash } : body;
        const sealed = await sealUser(decodeUser(given, id.name), hashing);
        await table.replace(id, (current) => {
          checkConditions(call, `users/${id.name}`, () => current && userKind.toWire(current));
          for (const user of current === undefined ? [sealed] : [current, sealed])
            requireHeld(call, user, `replace the user ${id.name}`);
          return keepsPassword && current !== undefined
            ? { ...sealed, password_hash: current['password_hash'] }
            : sealed;
        });
        if (!keepsPassword) await authenticator.passwordChanged(id.name, call.principal);
      },
      { body: { shape: oneOf(userKind) }, refusals: [412] },
    ),
    alter('DELETE', '', 'Disable a user', (call) => change(call, () => ({ disabled: true }))),
    alter('PUT', '/reinstate', 'Reinstate a disabled user', (call) =>
      change(call, () => ({ disabled: false }), 'reinstate the user'),
    ),
    alter('PUT', '/groups/:group', 'Add a user to a group', (call) => {
      const group = parameter(call, 'group');
      return change(
        call,
        ({ groups }) => ({ groups: [...groups.filter((one) => one !== group), group] }),
        `put into the group ${group} the user`,
      );
    }),
    alter('DELETE', '/groups/:group', 'Remove a user from a group', (call) => {
      const group = parameter(call, 'group');
      return change(call, ({ groups }) => ({ groups: groups.filter((one) => one !== group) }));
    }),
    alter('DELETE', '/groups', 'Remove a user from all groups', (call) =>
      change(call, () => ({ groups: [] })),
    ),
    alter(
      'PUT',
      '/password',
      'Change a password; the new one is given as a hash',
      async (call) => {
        const { password, password_hash: hash } = read(passwordSchema, call);
        checkHash(hash);
        await checkCurrent({ table, authenticator }, call, password);
        await setPassword(call, hash);
      },
      {
        access: onSelf,
        refusals: [429],
        body: bodyOf(passwordSchema, { password: 'the current password', password_hash: exampleHash }),
      },
    ),
    alter(
      'PUT',
      '/reset_password',
      'Set a password by its hash, without the current one',
      async (call) => {
        const { password_hash: hash } = read(resetSchema, call);
        checkHash(hash);
        await setPassword(call, hash, 'set the password of');
      },
      { body: bodyOf(resetSchema, { password_hash: exampleHash }) },
    ),
    alter(
      'PUT',
      '/change_password',
      'Change a password',
      async (call) => {
        const { password, password_new: next } = read(changeSchema, call);
        const fault = passwordFault(next);
        if (fault !== null) throw invalid(fault);
        await checkCurrent({ table, authenticator }, call, password);
        await setPassword(call, await hashing.hash(next));
      },
      {
        access: onSelf,
        refusals: [429],
        body: bodyOf(changeSchema, { password: 'the current password', password_new: 'the new password' }),
      },
    ),
  ];
};
