// The reach of a backend: its methods, and their types.
import type { HomeMethods } from './home-methods.ts';
import type { Reach } from './reach.ts';
import type { ShareMethods } from './share-methods.ts';

export type BackendReach = Reach<HomeMethods, ShareMethods>;
