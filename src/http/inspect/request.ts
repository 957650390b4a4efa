// Shared by all inspection routes: their dependencies, naming, and request parsing.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MonError } from '../../model/errors.ts';
import type { InspectionPort } from './inspection-port.ts';

export interface InspectionAccess {
  readonly verb: 'inspect:get' | 'inspect:control' | 'get' | 'list';
  readonly resource: 'actors' | 'events';
  /** Empty for actors outside a namespace. */
  readonly namespace: string;
  readonly resourceName: string;
}

export interface InspectionDeps {
  readonly port: InspectionPort;
  /** Resolves to the user's name; rejects with a MonError if the request is not authenticated. */
  identify(request: FastifyRequest): Promise<string>;
  /** Resolves to the user's name; rejects with a MonError if access is denied. */
  authorize(request: FastifyRequest, access: InspectionAccess): Promise<string>;
  /**
   * Registers a new stream. `end` is called when its reader loses access. Resolves to a function to call when the
   * stream has ended; rejects with `tooManyRequests`. If absent, streams are neither counted nor ended.
   */
  admitStream?(
    request: FastifyRequest,
    access: readonly InspectionAccess[],
    end: () => void,
  ): Promise<() => void>;
  /** `--inspect-control`: allows sending events to, restarting and stopping actors. */
  readonly allowControl: boolean;
  /** Logs every use of control, allowed or not. */
  audit(fields: Readonly<Record<string, unknown>>, text: string): void;
}

export const inspectionRoot = '/api/inspect/v1';

export const idSchema = z.object({ id: z.string().min(1).max(1_024) });
export const eventBodySchema = z.object({
  event: z.looseObject({ type: z.string().min(1, 'event.type must not be empty') }),
});

/** `family:namespace/...`: ids of namespaced actors contain the namespace; all others are cluster-wide. */
export const namespaceOf = (id: string): string => /^[\w-]+:([^/]+)\//.exec(id)?.[1] ?? '';

export const notHere = (id: string): MonError => new MonError('notFound', `there is no running actor ${id}`);

/** The zod error as one sentence that names the field. */
export const parse = <T extends z.ZodType>(schema: T, value: unknown): z.infer<T> => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new MonError('invalid', `${issue?.path.join('.') ?? 'request'}: ${issue?.message ?? 'is malformed'}`);
};
