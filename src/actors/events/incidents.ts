// What people do about an incident: acknowledge it, release it, write notes. Each resolves once it is durable.
import type { CheckFact } from '../../machines/check/check-facts.ts';
import { MonError } from '../../model/errors.ts';
import type { AcknowledgementRequest } from '../../model/event/acknowledgement.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { maxIncidentNotes } from '../../model/limits.ts';

/** Names one event. */
export interface EventAddress {
  readonly namespace: string;
  readonly entity: string;
  readonly check: string;
}

export interface IncidentsPorts {
  readonly read: (address: EventAddress) => Promise<CheckEvent | undefined>;
  /** Resolves once what the check made of it is durable. */
  readonly tell: (address: EventAddress, fact: CheckFact) => Promise<void>;
  readonly nowMs: () => number;
}

const nameOf = ({ entity, check }: EventAddress): string => `${entity}/${check}`;

const noIncident = (address: EventAddress): MonError =>
  new MonError('conflict', `the check ${nameOf(address)} is passing: there is no incident`);

export class Incidents {
  readonly #ports: IncidentsPorts;

  constructor(ports: IncidentsPorts) {
    this.#ports = ports;
  }

  /**
   * Acknowledges the incident for its owner; one that is acknowledged already gets the new owner, comment and reminder.
   * Resolves to the event afterwards. Rejects with `notFound`, or with `conflict` when the check passes.
   */
  async acknowledge(
    address: EventAddress,
    by: string,
    { owner, comment, remind_every: remindEverySeconds }: AcknowledgementRequest,
  ): Promise<CheckEvent> {
    await this.#incident(address);
    await this.#ports.tell(address, {
      type: 'incident.acknowledged',
      nowMs: this.#ports.nowMs(),
      by,
      owner: owner === '' ? by : owner,
      comment,
      remindEverySeconds,
    });
    const after = await this.#incident(address);
    // It ended and another one began meanwhile.
    if (!after.check.acknowledgement) throw noIncident(address);
    return after;
  }

  /** Rejects with `notFound` when there is no such event or nobody acknowledged it. */
  async release(address: EventAddress): Promise<void> {
    const event = await this.#event(address);
    if (!event.check.acknowledgement)
      throw new MonError('notFound', `nobody acknowledged the incident ${nameOf(address)}`);
    await this.#ports.tell(address, { type: 'incident.released' });
  }

  /** Resolves to the event afterwards. Rejects with `notFound`, or with `conflict` when the check passes or has all its notes. */
  async note(address: EventAddress, by: string, text: string): Promise<CheckEvent> {
    const before = await this.#incident(address);
    if ((before.check.incident_notes?.length ?? 0) >= maxIncidentNotes) throw tooManyNotes(address);
    const note = { by, at: Math.floor(this.#ports.nowMs() / 1000), text };
    await this.#ports.tell(address, { type: 'incident.noted', note });
    const after = await this.#incident(address);
    const isKept = (after.check.incident_notes ?? []).some(
      (kept) => kept.by === by && kept.at === note.at && kept.text === text,
    );
    if (!isKept) throw tooManyNotes(address);
    return after;
  }

  async #event(address: EventAddress): Promise<CheckEvent> {
    const event = await this.#ports.read(address);
    if (event === undefined) throw new MonError('notFound', `there is no event ${nameOf(address)}`);
    return event;
  }

  async #incident(address: EventAddress): Promise<CheckEvent> {
    const event = await this.#event(address);
    if (event.check.state === 'passing') throw noIncident(address);
    return event;
  }
}

const tooManyNotes = (address: EventAddress): MonError =>
  new MonError(
    'conflict',
    `the incident ${nameOf(address)} has ${maxIncidentNotes} notes, which is the most`,
  );
