// Messages: the shape of every payload on the agent socket, as zod schemas, and their JSON. Second step on the road
// of an event: what passes here has the right shape; whether it makes sense, others decide.
import { z } from 'zod';
import { checkConfigSchema, checkSchema } from '../model/check.ts';
import { entityConfigSchema } from '../model/entity.ts';
import { eventSchema } from '../model/event.ts';
import { metadataSchema } from '../model/metadata.ts';
import { encodeFrame } from './frames.ts';
import { maxAckIds, maxRefusalCharacters } from './limits.ts';

const strings = z.array(z.string());

/** The name the backend sends with the configuration of an entity it does not know (it has a space: no real name has). */
export const unknownEntityName = 'not found';

/** Whatever an agent reports: a check's result, metrics, or both. */
export const eventMessageSchema = eventSchema;

/** A sign of life: an event whose check is `keepalive`. */
export const keepaliveMessageSchema = eventSchema.extend({ check: checkSchema });

export const entityConfigMessageSchema = entityConfigSchema.extend({
  metadata: metadataSchema,
  /** The configuration came with an event: whoever sent it need not have the right to write entities. */
  unvouched: z.boolean().optional(),
});
export type EntityConfigMessage = z.infer<typeof entityConfigMessageSchema>;

const headersSchema = z.record(z.string(), z.string()).nullish();

export const assetBuildSchema = z.object({
  url: z.string().default(''),
  sha512: z.string().default(''),
  filters: strings.nullish(),
  headers: headersSchema,
});

export const requestedAssetSchema = assetBuildSchema.extend({
  metadata: metadataSchema,
  builds: z.array(assetBuildSchema).nullish(),
});
export type RequestedAsset = z.infer<typeof requestedAssetSchema>;

export const requestedHookSchema = z.object({
  metadata: metadataSchema,
  command: z.string().default(''),
  timeout: z.number().int().default(0),
  stdin: z.boolean().default(false),
  runtime_assets: strings.nullish(),
});
export type RequestedHook = z.infer<typeof requestedHookSchema>;

export const checkRequestSchema = z.object({
  config: checkConfigSchema.extend({ scheduler: z.string().optional() }),
  assets: z.array(requestedAssetSchema).nullish(),
  hooks: z.array(requestedHookSchema).nullish(),
  /** Unix seconds at which the backend asked; the same for every copy of one scheduling tick. */
  issued: z.number().int().default(0),
  hook_assets: z
    .record(z.string(), z.object({ assets: z.array(requestedAssetSchema).nullish() }).nullable())
    .nullish(),
  /** Resolved secrets, `NAME=value`; only over mutual TLS. */
  secrets: strings.nullish(),
});
export type CheckRequest = z.infer<typeof checkRequestSchema>;

/** A request whose check may be wrong: the agent reports that as a result instead of dropping it. */
export const looseCheckRequestSchema = checkRequestSchema.extend({
  config: z.looseObject({ metadata: z.looseObject({ name: z.string().default('') }) }),
});

/**
 * Tells an agent what became of its events. `ids` are committed; `refused` will never be accepted and must not be sent
 * again. Only sessions whose upgrade carried `Mon-Ack: 1` receive it.
 */
export const ackSchema = z.object({
  ids: strings.default([]),
  refused: z.array(z.object({ id: z.string(), message: z.string().default('') })).default([]),
});
export type Ack = z.infer<typeof ackSchema>;
export type RefusedEvent = Ack['refused'][number];

/** As many `ack` frames as the ids need: one, in all but extreme cases. */
export const encodeAcks = (ids: readonly string[], refused: readonly RefusedEvent[] = []): Buffer[] => {
  const frames: Buffer[] = [];
  const rounds = Math.max(Math.ceil(ids.length / maxAckIds), Math.ceil(refused.length / maxAckIds));
  for (let round = 0; round < rounds; round += 1) {
    const part = { from: round * maxAckIds, to: (round + 1) * maxAckIds };
    const told = refused.slice(part.from, part.to).map(({ id, message }) => ({
      id,
      message: message.slice(0, maxRefusalCharacters),
    }));
    const body = { ids: ids.slice(part.from, part.to), ...(told.length > 0 ? { refused: told } : {}) };
    frames.push(encodeFrame('ack', JSON.stringify(body)));
  }
  return frames;
};
