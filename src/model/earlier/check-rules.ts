// Validation rules for check definitions and check results of the earlier generation.

import { maxListItems } from '../limits.ts';
import { parseCron } from '../time/cron.ts';
import { isMap, type Json } from './json.ts';
import {
  always,
  eachIs,
  handling,
  ifSet,
  ifTruthy,
  isArray,
  isBoolean,
  isHash,
  isInteger,
  isNumber,
  isPositive,
  isShort,
  isString,
  judge,
  matches,
  namePattern,
  type Row,
  tooLong,
  within,
} from './rule-table.ts';
import { timeWindowProblems } from './time-window-rules.ts';

const aggregatePattern = /^[\w.:|-]+$/;
const sourcePattern = /^[\w.-]*(:{3}[\w|.-]+:{3}[\w.-]*|[\w.-]+)$/;
/** Standard cron only: five fields or a descriptor, without the extensions that our own checks support. */
const isCron = (value: unknown): boolean =>
  typeof value === 'string' && /^[@\d*?]/.test(value) && !value.startsWith('@every') && parseCron(value).ok;

const isSet = (value: unknown): boolean => value !== null && value !== undefined;
const isTruthy = (value: unknown): boolean => isSet(value) && value !== false;
const hasTtl = (scope: Json): boolean => isTruthy(scope['ttl']);
const flaps = (scope: Json): boolean =>
  isSet(scope['low_flap_threshold']) || isSet(scope['high_flap_threshold']);
const isAggregate = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && aggregatePattern.test(value));

const nameRows: readonly Row[] = [
  always('name', isString, 'check name must be a string'),
  always('name', matches(namePattern), 'check name cannot contain spaces or special characters'),
];

const aggregateRows: readonly Row[] = [
  ifSet('aggregates', isArray, 'check aggregates must be an array'),
  ifSet('aggregates', isShort, tooLong('check aggregates')),
  ifSet(
    'aggregates',
    eachIs(matches(aggregatePattern)),
    'check aggregates items must be strings without spaces or special characters',
  ),
  ifSet('aggregate', isAggregate, 'check aggregate cannot contain spaces or special characters', {
    only: ({ aggregate }) => typeof aggregate === 'string',
  }),
  ifSet('aggregate', isAggregate, 'check aggregate must be a string (name) or boolean', {
    only: ({ aggregate }) => typeof aggregate !== 'string',
  }),
];

const sourceMessage = 'check source cannot contain spaces, special characters, or invalid tokens';
const sourceRows: readonly Row[] = [
  ifTruthy('source', isString, 'check source must be a string'),
  ifTruthy('source', matches(sourcePattern), sourceMessage),
];

export const sourceAndAggregateRows: readonly Row[] = [...sourceRows, ...aggregateRows];

export const flapRows: readonly Row[] = [
  always('low_flap_threshold', isInteger, 'check low flap threshold must be an integer', { only: flaps }),
  always('high_flap_threshold', isInteger, 'check high flap threshold must be an integer', { only: flaps }),
];

const truncationRows: readonly Row[] = [
  ifSet('truncate_output', isBoolean, 'check truncate_output must be boolean'),
  ifSet(
    'truncate_output_length',
    isPositive,
    'check truncate_output_length must be an integer greater than 0',
  ),
];

const ttlRows: readonly Row[] = [
  always('ttl', isInteger, 'check ttl must be an integer', { only: hasTtl }),
  always('ttl', isPositive, 'check ttl must be greater than 0', {
    only: (scope) => hasTtl(scope) && Number.isInteger(scope['ttl']),
  }),
  ifSet('ttl_status', isInteger, 'check ttl_status must be an integer', { only: hasTtl }),
];

const isPublished = ({ publish }: Json): boolean => publish !== false;
const isCronned = (scope: Json): boolean => isPublished(scope) && isSet(scope['cron']);

const schedulingRows: readonly Row[] = [
  ifSet('publish', isBoolean, 'check publish must be boolean'),
  always('cron', isString, 'check cron must be a string', { only: isCronned }),
  always('cron', isCron, 'check cron string must use the cron syntax', { only: isCronned }),
  always('interval', isPositive, 'check interval must be an integer greater than 0', {
    only: (scope) => isPublished(scope) && !isCronned(scope),
  }),
  ifSet('standalone', isBoolean, 'check standalone must be boolean'),
  always('subscribers', isArray, 'check subscribers must be an array', {
    only: ({ standalone }) => !isTruthy(standalone),
  }),
  ifSet('subscribers', isShort, tooLong('check subscribers')),
  always('subscribers', eachIs(isString), 'check subscribers must each be a string', {
    only: ({ standalone }) => !isTruthy(standalone),
  }),
];

const isCoverage = (value: unknown): boolean => isPositive(value, {}) && (value as number) < 100;

const proxyRequestsRow = within('proxy_requests', 'check proxy_requests must be a hash', [
  always('client_attributes', isHash, 'check proxy_requests client_attributes must be a hash'),
  ifSet('splay', isBoolean, 'check proxy_requests splay must be boolean'),
  ifSet(
    'splay_coverage',
    isCoverage,
    'check proxy_requests splay_coverage must be an integer greater than 0 and less than 100',
  ),
]);

const executes = ({ command, extension }: Json): boolean => isSet(command) !== isSet(extension);

const executionRows: readonly Row[] = [
  ifSet('command', isString, 'check command must be a string'),
  ifSet('extension', isString, 'check extension must be a string'),
  always('command', (_, scope) => executes(scope), 'either check command or extension must be set'),
  ifSet('timeout', isNumber, 'check timeout must be numeric'),
  ifSet('stdin', isBoolean, 'check stdin must be boolean'),
];

const definitionRows: readonly Row[] = [
  ...nameRows,
  ...executionRows,
  ...sourceRows,
  ...schedulingRows,
  proxyRequestsRow,
  ...handling('check'),
  ...ttlRows,
  ...aggregateRows,
  ...flapRows,
  ifSet('hooks', isHash, 'check hooks must be a hash'),
];

const hookRows: readonly Row[] = [
  always('command', isString, 'check hook command must be a string'),
  ifSet('timeout', isNumber, 'check hook timeout must be numeric'),
  ifSet('stdin', isBoolean, 'check hook stdin must be boolean'),
];

const hookWords: readonly string[] = ['ok', 'warning', 'critical', 'unknown', 'non-zero'];
export const isHookKey = (key: string): boolean =>
  hookWords.includes(key) || (/^\d{1,3}$/.test(key) && String(Number(key)) === key && Number(key) <= 255);

const hookProblems = (hooks: unknown): string[] => {
  if (!isMap(hooks)) return [];
  return Object.entries(hooks).flatMap(([key, hook]) => [
    ...(isHookKey(key) ? [] : ["check hook key must be a severity, status, or 'non-zero'"]),
    ...judge(isMap(hook) ? hook : {}, hookRows),
  ]);
};

/** All problems of a definition, which must include `name`. */
export const checkDefinitionProblems = (check: Json): string[] => [
  ...judge(check, definitionRows),
  ...hookProblems(check['hooks']),
  ...judge(check, truncationRows),
  ...(isSet(check['subdue']) ? timeWindowProblems(check['subdue'], 'check subdue') : []),
];

const resultRows: readonly Row[] = [
  always('output', isString, 'check output must be a string'),
  always('status', isInteger, 'check status must be an integer'),
  always('executed', isInteger, 'check executed timestamp must be an integer'),
  ...nameRows,
  ...handling('check'),
  ...aggregateRows,
  ...flapRows,
  ...truncationRows,
  ...sourceRows,
  ...ttlRows,
];

/** The first problem of a result, in rule order; undefined if valid. */
export const checkResultProblem = (check: Json): string | undefined => judge(check, resultRows)[0];

const hasFewKeys = (value: unknown): boolean => !isMap(value) || Object.keys(value).length <= maxListItems;

const isSeconds = (value: unknown): boolean => Number.isSafeInteger(value);

/**
 * Clients send results that contain their own check definition, so only the fields we use are validated. A field of
 * the wrong type is rejected instead of being silently ignored.
 */
const sentResultRows: readonly Row[] = [
  always('output', isString, 'check output must be a string'),
  always('status', isInteger, 'check status must be an integer'),
  ifSet('executed', isSeconds, 'check executed timestamp must be an integer'),
  ifSet('issued', isSeconds, 'check issued timestamp must be an integer'),
  ifSet('duration', (value) => Number.isFinite(value), 'check duration must be a number'),
  ifSet('interval', isSeconds, 'check interval must be an integer'),
  ifSet('ttl', isSeconds, 'check ttl must be an integer'),
  ifSet('ttl_status', isSeconds, 'check ttl_status must be an integer'),
  ifSet('subscribers', isShort, tooLong('check subscribers')),
  ifSet('aggregates', isShort, tooLong('check aggregates')),
  ifSet('hooks', hasFewKeys, tooLong('check hooks')),
  ...handling('check'),
];

/** The first problem of a result sent by a client. */
export const sentResultProblem = (check: Json): string | undefined => judge(check, sentResultRows)[0];
