// What can't work as it stands, as the backend found it: marks in lists, and the reasons where one resource is shown.
import { encode, getJson, inspect } from './api.ts';

interface ResourceProblems {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly problems: readonly { readonly why: string; readonly field: string; readonly message: string }[];
}

/** The sentences by name of the resource, for one kind. */
export type ProblemsByName = ReadonlyMap<string, readonly string[]>;

export const readProblems = async (
  namespace: string,
  kind: { readonly path: string; readonly isNamespaced: boolean },
): Promise<ProblemsByName> => {
  const place = kind.isNamespaced ? namespace : '';
  const found = await getJson<readonly ResourceProblems[]>(
    inspect(`problems${place === '' ? '' : `?namespace=${encode(place)}`}`),
  );
  return new Map(
    found
      .filter((one) => one.kind === kind.path && one.namespace === place)
      .map(({ name, problems }) => [name, problems.map(({ message }) => message)]),
  );
};

/** The texts of an answer's `Warning` headers. */
export const warningsOf = (response: Response): readonly string[] =>
  [...(response.headers.get('warning') ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll(/\\(["\\])/g, '$1'),
  );
