// Resources as text for programs and files: JSON as the API says it, and the wrapped forms that `create -f` reads back.
import type { Json } from '../client/api-client.ts';

export interface Address {
  readonly type: string;
  readonly apiVersion: string;
  /** True where the API itself speaks the wrapped form. */
  readonly wrapped: boolean;
}

/** `{type, api_version, metadata, spec}`, in this order. */
export const wrapped = (resource: Json, kind: Address): Json => {
  if (kind.wrapped) {
    const { type, api_version, metadata, spec } = resource;
    return {
      type: type ?? kind.type,
      api_version: api_version ?? kind.apiVersion,
      metadata: metadata ?? {},
      spec: spec ?? {},
    };
  }
  const { metadata, ...spec } = resource;
  return { type: kind.type, api_version: kind.apiVersion, metadata: metadata ?? {}, spec };
};

/** With a blank line after it, as the reference prints. */
export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export const asWrappedJson = (resources: readonly Json[], kind: Address): string =>
  resources.map((resource) => JSON.stringify(wrapped(resource, kind), null, 2)).join('\n');

export const asYaml = async (resources: readonly Json[], kind: Address): Promise<string> => {
  const { stringify } = await import('yaml');
  return resources
    .map((resource) =>
      stringify(wrapped(resource, kind), { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd(),
    )
    .join('\n---\n');
};
