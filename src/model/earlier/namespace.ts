// Where everything of the earlier generation lives: it has no namespaces.
import { defaultNamespace } from '../resource/names.ts';

export const clientNamespace = defaultNamespace;
