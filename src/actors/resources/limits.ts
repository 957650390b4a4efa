// How much configuration is kept. It all stands in memory, so who may write some of it must not fill it for everybody.

/** Resources of one kind, all namespaces together. */
export const maxResourcesPerKind = 50_000;
/** All resources together, as JSON. */
export const maxResourceBytes = 268_435_456;
