// Connects a member to the bus, and makes sure before it serves that the bus works for it.
import { realClock } from '../../actors/runtime/time/clock.ts';
import { ask } from '../../cluster/ask.ts';
import { type Bus, BusError, type BusReport } from '../../cluster/bus.ts';
import { busCheckMs, busProbeMs, minBusPayloadBytes } from '../../cluster/limits.ts';
import { openNatsBus } from '../../cluster/nats-bus.ts';
import { SettingsError } from '../../program/resolve.ts';
import type { ClusterSettings } from './cluster-settings.ts';

/** Rejects with a SettingsError or BusError that says what to do. */
export const openBus = async ({ name, nats, subjects }: ClusterSettings, report: BusReport): Promise<Bus> => {
  const bus = await openNatsBus({ ...nats, clock: realClock, report });
  try {
    if (bus.maxPayloadBytes < minBusPayloadBytes)
      throw new SettingsError(
        `the NATS server at ${bus.status().server} takes messages of ${bus.maxPayloadBytes} bytes: set max_payload to at least ${minBusPayloadBytes} there, since events may have 1 MiB`,
      );
    await requireOwnName(bus, name, subjects.ask(name));
    await requirePermission(bus, subjects.ask(name));
    return bus;
  } catch (error) {
    await bus.drain(0);
    throw error;
  }
};

const requireOwnName = async (bus: Bus, name: string, subject: string): Promise<void> => {
  const question = { method: 'member.status', params: {} };
  const other = await ask(bus, subject, question, busCheckMs).catch((error: unknown) => {
    if (error instanceof BusError && error.code === 'forbidden') throw error;
    return undefined;
  });
  if (other !== undefined)
    throw new SettingsError(
      `another backend called ${name} is a member of this cluster: stop it, or give each backend its own --name`,
    );
};

/** Whether messages to itself arrive. */
const requirePermission = async (bus: Bus, subject: string): Promise<void> => {
  const stop = bus.subscribe(subject, (message) => message.respond(Buffer.from('{}')));
  try {
    await bus.request(subject, Buffer.from('{}'), busProbeMs);
  } catch (error) {
    throw new SettingsError(
      `the NATS server does not pass on messages on ${subject} (${(error as Error).message}): allow the user of this backend to publish and subscribe to mon.> and _INBOX.>`,
    );
  } finally {
    stop();
  }
};
