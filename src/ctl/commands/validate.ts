// validate: files checked without a backend, each message with file, line and column, as editors and CI read them.
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { type DocumentError, readDocuments } from '../sources/documents.ts';
import { findingsOf } from '../sources/offline-rules.ts';
import { type Place, placeIn, placeOfMistake } from '../sources/places.ts';
import { readSources } from '../sources/read-sources.ts';

/** What can't be read as a resource: the mistake in the text, or the field the message names. */
const placeOfError = ({ document: { before, text, item }, reason }: DocumentError): Place => {
  try {
    const [, quoted, bare] =
      /field "([^"]+)"|^(?:[\w ]+: )*([\w.]+) (?:is missing|must be)/.exec(reason) ?? [];
    const path = (quoted ?? bare ?? '').split('.').filter((part) => part !== '');
    return placeIn(before, text, [...(item === undefined ? [] : [item]), ...path]);
  } catch {
    return placeOfMistake(before, text);
  }
};

interface Message {
  readonly file: string;
  readonly place: Place;
  readonly isError: boolean;
  readonly message: string;
}

const inOrder = (one: Message, other: Message): number =>
  one.file === other.file
    ? one.place.line - other.place.line || one.place.column - other.place.column
    : one.file < other.file
      ? -1
      : 1;

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

export const validateFiles: Work = async (session) => {
  const strict = session.given.strict === 'true';
  const messages: Message[] = [];
  const resources = await readDocuments(await readSources(session), session.settings.namespace, (error) =>
    messages.push({
      file: error.document.file,
      place: placeOfError(error),
      isError: true,
      message: error.reason,
    }),
  );
  for (const resource of resources)
    for (const { place, isError, message } of findingsOf(resource))
      messages.push({ file: resource.text.file, place, isError: isError || strict, message });
  for (const { file, place, isError, message } of messages.sort(inOrder))
    session.print(`${file}:${place.line}:${place.column}: ${isError ? 'error' : 'warning'}: ${message}`);
  const errors = messages.filter(({ isError }) => isError).length;
  const warnings = messages.length - errors;
  if (errors > 0)
    throw new CtlError(`${count(errors, 'error')} and ${count(warnings, 'warning')} in the files`);
  if (resources.length === 0) throw new CtlError('there is no resource in what was given');
  session.note(`${count(resources.length, 'resource')} checked, ${count(warnings, 'warning')}`);
};
