// Manual control of a live actor: send an event, pause, restart, stop. Disabled unless the backend was started with
// control allowed. Every attempt is logged with user, action and result, including rejected ones.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MonError } from '../../model/errors.ts';
import { createAudit } from './audit.ts';
import {
  eventBodySchema,
  type InspectionDeps,
  idSchema,
  inspectionRoot,
  namespaceOf,
  notHere,
  parse,
} from './request.ts';
import { view } from './view.ts';

export const registerControl = (app: FastifyInstance, deps: InspectionDeps): void => {
  const { entries, audit } = createAudit(deps);
  app.get(`${inspectionRoot}/audit`, async (request) => {
    await deps.authorize(request, {
      verb: 'inspect:get',
      resource: 'actors',
      namespace: '',
      resourceName: '',
    });
    return entries();
  });

  const controlled =
    (action: string, act: (id: string, request: FastifyRequest) => Promise<unknown>) =>
    async (request: FastifyRequest): Promise<unknown> => {
      const { id } = parse(idSchema, request.params);
      const tried = { actor: id, action, event: view((request.body as { event?: unknown } | null)?.event) };
      const user = await deps.identify(request).catch((error: unknown) => {
        audit({ ...tried, user: 'nobody', outcome: 'refused' }, 'inspection control was refused');
        throw error;
      });
      const fields = { ...tried, user };
      await deps
        .authorize(request, {
          verb: 'inspect:control',
          resource: 'actors',
          namespace: namespaceOf(id),
          resourceName: id,
        })
        .catch((error: unknown) => {
          audit({ ...fields, outcome: 'refused' }, 'inspection control was refused');
          throw error;
        });
      if (!deps.allowControl) {
        audit({ ...fields, outcome: 'off' }, 'inspection control is disabled');
        throw new MonError(
          'permissionDenied',
          'control is disabled; start the backend with --inspect-control to allow it',
        );
      }
      try {
        const answer = await act(id, request);
        audit({ ...fields, outcome: 'done' }, `inspection control: ${action}`);
        return answer;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        audit({ ...fields, outcome: 'failed', why }, `inspection control: ${action} failed`);
        throw error;
      }
    };

  const root = `${inspectionRoot}/actors/:id`;
  app.post(
    `${root}/send`,
    controlled('send', async (id, request) => {
      const { event } = parse(eventBodySchema, request.body);
      if (deps.port.actor(id) === undefined) throw notHere(id);
      await deps.port.tell(id, event);
      return { sent: true };
    }),
  );
  app.post(
    `${root}/pause`,
    controlled('pause', async (id) => {
      if (!deps.port.pause(id)) throw notHere(id);
      return { paused: true };
    }),
  );
  app.post(
    `${root}/resume`,
    controlled('resume', async (id) => {
      if (!deps.port.resume(id)) throw notHere(id);
      return { paused: false };
    }),
  );
  app.post(
    `${root}/restart`,
    controlled('restart', async (id) => {
      if (!(await deps.port.restart(id))) throw notHere(id);
      return { restarted: true };
    }),
  );
  app.post(
    `${root}/stop`,
    controlled('stop', async (id) => {
      if (!(await deps.port.stop(id))) throw notHere(id);
      return { stopped: true };
    }),
  );
};
