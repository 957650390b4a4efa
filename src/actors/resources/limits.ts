// How much configuration is kept. It all stands in memory, so who may write some of it must not fill it for everybody.

/** Resources of one kind, all namespaces together. */
export const maxResourcesPerKind = 50_000;
/** All resources together, as JSON. */
export const maxResourceBytes = 268_435_456;
/** How often a write is decided again since another backend changed the same record. */
export const maxWriteTries = 100;
