// The messages between an earlier client and our backend over a WebSocket: pipe operations as JSON. Every published
// message is answered: `done` once stored, `refused` if it is permanently rejected.
import { z } from 'zod';

const pipeType = z.enum(['direct', 'fanout']);
const pipeName = z.string().min(1).max(512);
const id = z.number().int().nonnegative();

export const clientMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('publish'), id, pipe: pipeName, kind: pipeType, message: z.string() }),
  z.object({ type: z.literal('subscribe'), id, pipe: pipeName, kind: pipeType }),
  z.object({ type: z.literal('unsubscribe'), id }),
  z.object({ type: z.literal('stats'), id, pipe: pipeName }),
]);
export type ClientMessage = z.infer<typeof clientMessageSchema>;

export const serverMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), pipe: pipeName, message: z.string() }),
  z.object({
    type: z.literal('done'),
    id,
    messages: z.number().optional(),
    consumers: z.number().optional(),
  }),
  z.object({ type: z.literal('refused'), id, reason: z.string() }),
]);
export type ServerMessage = z.infer<typeof serverMessageSchema>;

/** The URL path for these upgrades. */
export const transportPath = '/transport';
