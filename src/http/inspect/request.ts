// What every inspection route shares: what it is given, how it names things, how it reads a request.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MonError } from '../../model/errors.ts';
import type { InspectionPort } from './inspection-port.ts';

export interface InspectionAccess {
  readonly verb: 'inspect:get' | 'inspect:control' | 'get' | 'list';
  readonly resource: 'actors' | 'events';
  /** Empty for what is not inside one namespace. */
  readonly namespace: string;
  readonly resourceName: string;
}

export interface InspectionDeps {
  readonly port: InspectionPort;
  /** Resolves with the user's name; rejects with a MonError when nobody is logged in. */
  identify(request: FastifyRequest): Promise<string>;
  /** Resolves with the user's name; rejects with a MonError when the request may not do this. */
  authorize(request: FastifyRequest, access: InspectionAccess): Promise<string>;
  /**
   * A stream is about to begin: `end` is called when its reader may no longer read it. Resolves with what to call when it has
   * ended; rejects with `tooManyRequests`. Absent: streams are neither counted nor ended.
   */
  admitStream?(
    request: FastifyRequest,
    access: readonly InspectionAccess[],
    end: () => void,
  ): Promise<() => void>;
  /** `--inspect-control`: sending, restarting and stopping actors by hand. */
  readonly allowControl: boolean;
  /** Where every use of control is written, allowed or not. */
  audit(fields: Readonly<Record<string, unknown>>, text: string): void;
}

export const inspectionRoot = '/api/inspect/v1';

export const idSchema = z.object({ id: z.string().min(1).max(1_024) });
export const eventBodySchema = z.object({
  event: z.looseObject({ type: z.string().min(1, 'event.type must not be empty') }),
});

/** `family:namespace/...`: what lies in a namespace says so in its id; the rest is the cluster's. */
export const namespaceOf = (id: string): string => /^[\w-]+:([^/]+)\//.exec(id)?.[1] ?? '';

export const notHere = (id: string): MonError => new MonError('notFound', `no actor ${id} runs here now`);

/** Zod's complaint as one sentence that names the field. */
export const parse = <T extends z.ZodType>(schema: T, value: unknown): z.infer<T> => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new MonError('invalid', `${issue?.path.join('.') ?? 'request'}: ${issue?.message ?? 'is malformed'}`);
};
