// The acknowledgement of an incident, and its notes: parts of the check of an event. Both end when the check passes.
import { z } from 'zod';
import { maxIncidentTextCharacters, maxRemindSeconds, minRemindSeconds } from '../limits.ts';
import { integer, text } from '../schema/quick-types.ts';

/** Times are Unix seconds. */
export const acknowledgementSchema = z.object({
  owner: text('').describe('Who takes care of the incident.'),
  by: text('').describe('Who acknowledged it.'),
  comment: text('').describe('What its owner wants others to know.'),
  at: integer(0).meta({ description: 'When it was acknowledged.', 'x-unit': 'seconds since 1970' }),
  remind_every: integer(0).meta({
    description: 'Time after which handlers are called again, while the incident lasts; 0: never.',
    'x-unit': 'seconds',
  }),
  remind_at: integer(0).meta({
    description: 'When handlers are called again; 0: never.',
    'x-unit': 'seconds since 1970',
  }),
  reminders: integer(0).describe('How often handlers were reminded.'),
  reminder: z.boolean().optional().describe('Whether this event is such a reminder.'),
});
export type Acknowledgement = z.infer<typeof acknowledgementSchema>;

export const incidentNoteSchema = z.object({
  by: text('').describe('Who wrote it.'),
  at: integer(0).meta({ description: 'When it was written.', 'x-unit': 'seconds since 1970' }),
  text: text('').describe('The note.'),
});
export type IncidentNote = z.infer<typeof incidentNoteSchema>;

const sentText = (name: string) =>
  z
    .string()
    .trim()
    .max(maxIncidentTextCharacters, `must be at most ${maxIncidentTextCharacters} characters long`)
    .describe(name);

const onlyKnown = (known: string) => ({
  error: (issue: { readonly code?: string | undefined; readonly keys?: unknown }): string | undefined =>
    issue.code === 'unrecognized_keys'
      ? `has the unknown field ${String(issue.keys)}; known: ${known}`
      : undefined,
});

const remindRange = `must be 0 or a whole number of seconds from ${minRemindSeconds} to ${maxRemindSeconds}`;

/** What a client sends to acknowledge an incident. */
export const acknowledgementRequestSchema = z.strictObject(
  {
    comment: sentText('What others should know; shown with the incident.').default(''),
    owner: sentText('Who takes care of it. Default: the caller.').default(''),
    remind_every: z
      .number(remindRange)
      .refine(
        (seconds) =>
          seconds === 0 ||
          (Number.isInteger(seconds) && seconds >= minRemindSeconds && seconds <= maxRemindSeconds),
        remindRange,
      )
      .default(0)
      .meta({
        description: 'Time after which handlers are called again, while the incident lasts; 0: never.',
        'x-unit': 'seconds',
      }),
  },
  onlyKnown('comment, owner, remind_every'),
);
export type AcknowledgementRequest = z.infer<typeof acknowledgementRequestSchema>;

/** What a client sends to add a note to an incident. */
export const noteRequestSchema = z.strictObject(
  { text: sentText('The note.').min(1, 'must not be empty') },
  onlyKnown('text'),
);
