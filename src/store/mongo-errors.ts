// Classifies errors of MongoDB and its driver, and whether a retry helps.
import { StoreError, type StoreErrorCode } from './snapshot-store.ts';

const duplicateKey = 11_000;
/** OutOfDiskSpace; AtlasError, used for an exceeded quota. */
const fullCodes = new Set([14_031, 8_000]);
/**
 * BadValue, FailedToParse, TypeMismatch, InvalidBSON, DollarPrefixedFieldName and similar, too large, failed
 * validation.
 */
const invalidCodes = new Set([2, 9, 14, 22, 52, 55, 56, 57, 121, 10_334, 17_280, 17_419, 17_420]);
const invalidNames = /^(BSON\w*Error|MongoInvalidArgumentError|RangeError)$/;

interface DriverError {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
  readonly writeErrors?: readonly { readonly code?: unknown }[] | { readonly code?: unknown };
  readonly result?: { getWriteConcernError?(): unknown };
}

/** All failed writes of the bulk conflicted with an existing document, and there was no other error. */
export function isConflict(error: unknown): boolean {
  const { code, writeErrors, result } = error as DriverError;
  if (result?.getWriteConcernError?.()) return false;
  const codes = [writeErrors ?? []].flat().map((item) => (item as { code?: unknown }).code);
  return codes.length > 0 ? codes.every((each) => each === duplicateKey) : code === duplicateKey;
}

/** A broken connection, a server that is shutting down, an election. Not a server that is away: the driver waited for it. */
export function isWorthRepeating(error: unknown): boolean {
  if (error instanceof StoreError) return false;
  const driverError = error as DriverError;
  return driverError.name !== 'MongoServerSelectionError' && meaningOf(driverError) === 'unavailable';
}

export function toStoreError(where: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { message } = error as DriverError;
  return new StoreError(meaningOf(error as DriverError), `${where}: ${message}`, { cause: error });
}

/** Unauthorized, AuthenticationFailed, and AtlasError for a rejected login. */
const loginCodes = new Set([13, 18, 8_000]);

function adviceFor({ name, code, message }: DriverError): string {
  if (loginCodes.has(code as number))
    return 'set a user and password in --store-url that may read and write this database (authSource names the database of the user)';
  if (/certificate|self-signed|TLS|SSL/i.test(message))
    return 'check tls and tlsCAFile in --store-url, or --trusted-ca-file';
  if (/ENOTFOUND|EAI_AGAIN/.test(message)) return 'the name of the host in --store-url is not known here';
  if (name === 'MongoServerSelectionError' || name === 'MongoNetworkError')
    return 'start MongoDB, or correct the hosts and replicaSet in --store-url, and start again; nothing was changed';
  return 'check MongoDB and --store-url, and start again';
}

/** Why a database can't be opened, and what to do. */
export function openingError(where: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { code, message } = toStoreError(where, error);
  return new StoreError(
    code,
    `the store can't be opened: ${message}. ${capital(adviceFor(error as DriverError))}`,
    {
      cause: error,
    },
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function meaningOf({ name, code, writeErrors, message }: DriverError): StoreErrorCode {
  const codes = [code, ...[writeErrors ?? []].flat().map((item) => (item as { code?: unknown }).code)];
  if (codes.some((each) => fullCodes.has(each as number)) || /space quota|disk space/i.test(message))
    return 'full';
  if (invalidNames.test(name) || codes.some((each) => invalidCodes.has(each as number))) return 'invalid';
  return 'unavailable';
}
