// The namespace in which backends of the reference product keep internal resources. They create it on demand, and
// dumps refer to it without containing it, so it is created here with the first write.
import { seedNamespace } from '../actors/resources/seed.ts';
import type { BackendPort } from './backend-port.ts';
import type { Parameters } from './route.ts';

const name = 'sensu-system';

/** Call after the caller was authorized to write. */
export const ensureSystemNamespace = async (
  { resources }: Pick<BackendPort, 'resources'>,
  method: string,
  parameters: Parameters,
): Promise<void> => {
  const isWrite = method === 'PUT' || method === 'POST';
  if (!isWrite || parameters.namespace !== name || resources.hasNamespace(name)) return;
  await resources.put({ segment: 'namespaces', namespace: '', name }, { name });
  await seedNamespace(resources, name);
};
