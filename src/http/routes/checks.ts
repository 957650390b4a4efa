// Checks: the generic routes, running a check now, and assigning hooks.
import { z } from 'zod';
import type { Resource } from '../../actors/resources/resource-table.ts';
import type { Resources } from '../../actors/resources/resources.ts';
import type { CheckConfig } from '../../model/check/check.ts';
import { hookListFault } from '../../model/check/hook.ts';
import { MonError } from '../../model/errors.ts';
import { checkKind } from '../../model/kinds/watching.ts';
import { decode } from '../../model/schema/decode.ts';
import { optionalStringList, stringList } from '../../model/schema/quick-types.ts';
import type { BackendPort } from '../backend-port.ts';
import { objectBody } from '../body.ts';
import { validateResource } from '../resource-bodies.ts';
import { collectionUrl, resourceRoutes } from '../resource-routes.ts';
import {
  type AccessRule,
  type AuthenticatedCall,
  created,
  type GuardedRoute,
  noContent,
  parameter,
} from '../route.ts';
import { createdAnswer, json, removedAnswer } from '../route-doc.ts';

const one = `${collectionUrl(checkKind)}/:name`;
const onOne: AccessRule = { resource: checkKind.rbacResource, name: ({ name }) => name ?? '' };

const adhocSchema = z.object({ subscriptions: optionalStringList() });
const hooksSchema = z.record(z.string(), stringList().nullable());

type HookLists = readonly Readonly<Record<string, readonly string[] | null>>[];

/** The lists without one hook of a type; null if it was not there. */
const withoutHook = (lists: HookLists, type: string, hook: string): HookLists | null => {
  let found = false;
  const left = lists.flatMap((list) => {
    const hooks = list[type];
    if (!hooks?.includes(hook)) return [list];
    found = true;
    const others = hooks.filter((name) => name !== hook);
    return others.length === 0 ? [] : [{ ...list, [type]: others }];
  });
  return found ? left : null;
};

const idOf = (call: AuthenticatedCall) => ({
  segment: checkKind.path,
  namespace: parameter(call, 'namespace'),
  name: parameter(call, 'name'),
});

const changeHooks = (
  table: Resources,
  call: AuthenticatedCall,
  change: (lists: HookLists) => HookLists,
): Promise<Resource> =>
  table.update(idOf(call), (current) => {
    const { check_hooks: lists } = current as unknown as CheckConfig;
    const next = change(lists ?? []);
    const changed = { ...current, check_hooks: next.length === 0 ? null : next };
    validateResource(checkKind, changed);
    return changed;
  });

export const checkRoutes = (backend: BackendPort): readonly GuardedRoute[] => [
  ...resourceRoutes(checkKind, backend.resources),
  {
    method: 'POST',
    url: `${one}/execute`,
    access: onOne,
    doc: {
      tag: checkKind.path,
      summary: 'Run a check now, on the agents of its subscriptions or of the given ones',
      body: { shape: json(adhocSchema, { subscriptions: ['linux'] }), optional: true },
      answers: {
        202: {
          what: 'requested; `issued` is in seconds. `Warning` headers name skipped agents, and say when nobody runs it',
          headers: ['Warning'],
          shape: json(z.object({ issued: z.number() }), { issued: 1_700_000_000 }),
        },
      },
    },
    handle: async (call) => {
      const asked = decode(adhocSchema, call.body === undefined ? {} : objectBody(call.body), '');
      if (!asked.ok) throw new MonError('invalid', asked.message);
      const { namespace, name, segment } = idOf(call);
      if (backend.resources.get(segment, namespace, name) === undefined) throw new MonError('notFound');
      const { subscriptions } = asked.value;
      const { issued, warnings = [] } = await (subscriptions && subscriptions.length > 0
        ? backend.executeCheck(namespace, name, subscriptions)
        : backend.executeCheck(namespace, name));
      return { status: 202, body: { issued }, warnings };
    },
  },
  {
    method: 'PUT',
    url: `${one}/hooks/:type`,
    access: onOne,
    doc: {
      tag: checkKind.path,
      summary: 'Assign hooks to a check for one type of result',
      body: { shape: json(hooksSchema, { critical: ['top-processes'] }) },
      answers: createdAnswer,
    },
    handle: async (call) => {
      const type = parameter(call, 'type');
      const asked = decode(hooksSchema, objectBody(call.body), '');
      if (!asked.ok) throw new MonError('invalid', asked.message);
      const hooks = asked.value[type];
      if (!hooks || hooks.length === 0)
        throw new MonError('invalid', `the body must be {"${type}": ["..."]}`);
      const fault = hookListFault({ [type]: hooks });
      if (fault !== null) throw new MonError('invalid', fault);
      await changeHooks(backend.resources, call, (lists) => [
        ...lists.filter((list) => list[type] === undefined),
        { [type]: hooks },
      ]);
      return created();
    },
  },
  {
    method: 'DELETE',
    url: `${one}/hooks/:type/hook/:hook`,
    access: onOne,
    doc: {
      tag: checkKind.path,
      summary: 'Remove a hook from a check',
      answers: removedAnswer,
    },
    handle: async (call) => {
      await changeHooks(backend.resources, call, (lists) => {
        const left = withoutHook(lists, parameter(call, 'type'), parameter(call, 'hook'));
        if (left === null) throw new MonError('notFound');
        return left;
      });
      return noContent;
    },
  },
];
