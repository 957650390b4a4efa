// Validation rules for client definitions of the earlier generation.

import { flapRows, sourceAndAggregateRows } from './check-rules.ts';
import type { Json } from './json.ts';
import {
  always,
  eachIs,
  handling,
  ifSet,
  isArray,
  isBoolean,
  isFilled,
  isInteger,
  isShort,
  isString,
  matches,
  namePattern,
  type Row,
  tooLong,
  within,
} from './rule-table.ts';

const hasCredentials = (scope: Json): boolean =>
  [scope['user'], scope['password']].some((value) => value !== null && value !== undefined);

const announcement = (name: 'registration' | 'deregistration'): Row =>
  within(name, `client ${name} must be a hash`, [
    ...handling(`client ${name}`),
    ifSet('status', isInteger, `client ${name} status must be an integer`),
  ]);

/** Of a keepalive, which may contain whatever the client's definition has, only the lists are judged. */
export const keepaliveRows: readonly Row[] = [
  ifSet('redact', isShort, tooLong('client redact')),
  ...(['keepalive', 'registration', 'deregistration'] as const).map((part) => ({
    ...ifSet(part, () => true, ''),
    inside: [ifSet('handlers', isShort, tooLong(`client ${part} handlers`))],
  })),
];

export const clientRows: readonly Row[] = [
  always('name', isString, 'client name must be a string'),
  always('name', matches(namePattern), 'client name cannot contain spaces or special characters'),
  always('address', isString, 'client address must be a string'),
  ifSet('safe_mode', isBoolean, 'client safe_mode must be boolean'),
  ifSet('deregister', isBoolean, 'client deregister must be boolean'),
  always('subscriptions', isArray, 'client subscriptions must be an array'),
  always('subscriptions', isShort, tooLong('client subscriptions')),
  always('subscriptions', eachIs(isFilled), 'client subscriptions must each be a non empty string'),
  within('socket', 'client socket must be a hash', [
    ifSet('enabled', isBoolean, 'client socket enabled must be a boolean'),
    ifSet('bind', isString, 'client socket bind must be a string'),
    ifSet('port', isInteger, 'client socket port must be an integer'),
  ]),
  within('http_socket', 'client http_socket must be a hash', [
    ifSet('enabled', isBoolean, 'client http_socket enabled must be boolean'),
    ifSet('bind', isString, 'client http_socket bind must be a string'),
    ifSet('port', isInteger, 'client http_socket port must be an integer'),
    always('user', isString, 'client http_socket user must be a string', { only: hasCredentials }),
    always('password', isString, 'client http_socket password must be a string', { only: hasCredentials }),
    ifSet('protect_all_endpoints', isBoolean, 'client http_socket protect_all_endpoints must be boolean'),
  ]),
  ifSet('keepalives', isBoolean, 'client keepalives must be boolean'),
  within('keepalive', 'client keepalive must be a hash', [
    ...handling('client keepalive'),
    within('thresholds', 'client keepalive thresholds must be a hash', [
      ifSet('warning', isInteger, 'client keepalive warning threshold must be an integer'),
      ifSet('critical', isInteger, 'client keepalive critical threshold must be an integer'),
    ]),
    ...sourceAndAggregateRows,
    ...flapRows,
  ]),
  ifSet('redact', isArray, 'client redact must be an array'),
  ifSet('redact', isShort, tooLong('client redact')),
  ifSet('redact', eachIs(isString), 'client redact keys must each be a string'),
  ifSet('signature', isString, 'client signature must be a string'),
  announcement('registration'),
  announcement('deregistration'),
];
