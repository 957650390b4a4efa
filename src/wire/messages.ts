// The payloads of the agent protocol as zod schemas. Second step of the event flow: validates the shape only; rules
// are checked later.
import { z } from 'zod';
import { checkConfigSchema } from '../model/check/check.ts';
import { entityConfigSchema } from '../model/entity/entity.ts';
import { metadataSchema } from '../model/resource/metadata.ts';
import { encodeFrame } from './frames.ts';
import { maxAckIds, maxRefusalCharacters } from './limits.ts';

const strings = z.array(z.string());

/**
 * The name the backend sends with the configuration of an unknown entity. Contains a space, which real names
 * cannot.
 */
export const unknownEntityName = 'not found';

export const entityConfigMessageSchema = entityConfigSchema.extend({
  metadata: metadataSchema,
  /** Set if the configuration came with an event: its sender may lack permission to write entities. */
  unvouched: z.boolean().optional(),
});
export type EntityConfigMessage = z.infer<typeof entityConfigMessageSchema>;

const headersSchema = z.record(z.string(), z.string()).nullish();

const assetBuildSchema = z.object({
  url: z.string().default(''),
  sha512: z.string().default(''),
  filters: strings.nullish(),
  headers: headersSchema,
});

const requestedAssetSchema = assetBuildSchema.extend({
  metadata: metadataSchema,
  builds: z.array(assetBuildSchema).nullish(),
});
export type RequestedAsset = z.infer<typeof requestedAssetSchema>;

const requestedHookSchema = z.object({
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
  /** Unix seconds of the request; identical in all copies of one scheduled run. */
  issued: z.number().int().default(0),
  hook_assets: z
    .record(z.string(), z.object({ assets: z.array(requestedAssetSchema).nullish() }).nullable())
    .nullish(),
  /** Resolved secrets as `NAME=value`; only over mutual TLS. */
  secrets: strings.nullish(),
});
export type CheckRequest = z.infer<typeof checkRequestSchema>;

/** A request whose check may be invalid: the agent reports that as a result instead of dropping the request. */
export const looseCheckRequestSchema = checkRequestSchema.extend({
  config: z.looseObject({ metadata: z.looseObject({ name: z.string().default('') }) }),
});

/**
 * Acknowledges events. `ids` are committed; `refused` are rejected permanently and must not be sent again. Sent
 * only in sessions whose upgrade request had `Mon-Ack: 1`.
 */
export const ackSchema = z.object({
  ids: strings.default([]),
  refused: z.array(z.object({ id: z.string(), message: z.string().default('') })).default([]),
});
export type Ack = z.infer<typeof ackSchema>;
export type RefusedEvent = Ack['refused'][number];

/** As many `ack` frames as needed, usually one. */
export const encodeAcks = (ids: readonly string[], refused: readonly RefusedEvent[] = []): Buffer[] => {
  // The usual case: a few ids, none refused.
  if (refused.length === 0 && ids.length > 0 && ids.length <= maxAckIds)
    return [encodeFrame('ack', `{"ids":${JSON.stringify(ids)}}`)];
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
