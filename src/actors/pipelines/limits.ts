// Limits of deliveries, each with its unit.

/** Assets whose scripts are kept in memory, each of at most `maxAssetScriptBytes`; others are read again. */
export const maxKeptAssetScripts = 64;
/** Events waiting for a worker before edges are asked to pause. */
export const maxWaitingDeliveries = 10_000;
/** How long running handlers are waited for when the backend stops, milliseconds. */
export const deliveryDrainMs = 10_000;
/** Filters, mutators and handlers with figures of their own in `/metrics`; more are counted together as `other`. */
export const maxMeasuredSteps = 100;
/** What waits behind other deliveries, in bytes of JSON and in all; above it a check keeps one waiting. */
export const maxAllWaitingDeliveryBytes = 1024 * 1024 * 1024;
/** How long a delivery whose record can't be read waits for another try, milliseconds. */
export const readDeliveryAgainMs = 5_000;
