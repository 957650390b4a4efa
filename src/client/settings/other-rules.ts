// Validation rules for the other scopes. They are for servers, but clients receive the whole configuration and
// refuse to start if it is invalid.
import { isMap, type Json } from '../../model/earlier/json.ts';
import {
  always,
  eachIs,
  handling,
  ifSet,
  isArray,
  isBoolean,
  isHash,
  isInteger,
  isNumber,
  isOneOf,
  isPositive,
  isString,
  judge,
  type Row,
  within,
} from '../../model/earlier/rule-table.ts';
import { timeWindowProblems } from '../../model/earlier/time-window-rules.ts';

export const productRows: readonly Row[] = [
  within('spawn', 'sensu spawn must be a hash', [
    ifSet('limit', isInteger, 'sensu spawn limit must be an integer'),
    ifSet('limit', isPositive, 'sensu spawn limit must be greater than 0', {
      only: ({ limit }) => Number.isInteger(limit),
    }),
  ]),
  within('keepalives', 'sensu keepalives must be a hash', [
    within('thresholds', 'sensu keepalives thresholds must be a hash', [
      ifSet('warning', isInteger, 'sensu keepalives warning threshold must be an integer'),
      ifSet('critical', isInteger, 'sensu keepalives critical threshold must be an integer'),
    ]),
    ...handling('sensu keepalives'),
  ]),
  within('server', 'sensu server must be a hash', [
    ifSet('results_pipe', isString, 'sensu server results_pipe must be a string'),
    ifSet('keepalives_pipe', isString, 'sensu server keepalives_pipe must be a string'),
    ifSet('max_message_size', isInteger, 'sensu server max_message_size must be an integer'),
  ]),
  ifSet('global_error_handler', isBoolean, 'sensu global_error_handler must be boolean'),
];

export const transportRows: readonly Row[] = [
  always('name', isString, 'transport name must be a string'),
  ifSet('reconnect_on_error', isBoolean, 'transport reconnect_on_error must be boolean'),
];

const mutatorRows: readonly Row[] = [
  always('command', isString, 'mutator command must be a string'),
  ifSet('timeout', isNumber, 'mutator timeout must be numeric'),
];

const isType =
  (...types: readonly string[]) =>
  ({ type }: Json): boolean =>
    types.includes(String(type));

const pipeTypes = isOneOf('direct', 'fanout', 'topic');

const handlerRows: readonly Row[] = [
  always('type', isString, 'handler type must be a string'),
  always('type', isOneOf('pipe', 'tcp', 'udp', 'transport', 'set', 'extension'), 'unknown handler type'),
  always('command', isString, 'handler command must be a string', { only: isType('pipe') }),
  always('socket', isHash, 'handler socket must be a hash', {
    only: isType('tcp', 'udp'),
    inside: [
      always('host', isString, 'handler host must be a string'),
      always('port', isInteger, 'handler port must be an integer'),
    ],
  }),
  always('pipe', isHash, 'handler transport pipe must be a hash', {
    only: isType('transport'),
    inside: [
      always('type', isString, 'handler transport pipe type must be a string'),
      always('type', pipeTypes, 'handler transport pipe type is invalid'),
      always('name', isString, 'handler transport pipe name must be a string'),
      ifSet('options', isHash, 'handler transport pipe options must be a hash'),
    ],
  }),
  always('handlers', isArray, 'handler set handlers must be an array', { only: isType('set') }),
  always('handlers', eachIs(isString), 'handler set handlers must each be a string', { only: isType('set') }),
  ifSet('filters', isArray, 'handler filters must be an array'),
  ifSet('filters', eachIs(isString), 'handler filters items must be strings'),
  ifSet('filter', isString, 'handler filter must be a string'),
  ifSet('severities', isArray, 'handler severities must be an array'),
  ifSet(
    'severities',
    eachIs(isOneOf('ok', 'warning', 'critical', 'unknown')),
    'handler severities are invalid',
  ),
  ifSet('timeout', isNumber, 'handler timeout must be numeric'),
  ifSet('mutator', isString, 'handler mutator must be a string'),
  ifSet('handle_flapping', isBoolean, 'handler handle_flapping must be boolean'),
  ifSet('handle_silenced', isBoolean, 'handler handle_silenced must be boolean'),
];

const filterRows: readonly Row[] = [
  ifSet('negate', isBoolean, 'filter negate must be boolean'),
  always('attributes', isHash, 'filter attributes must be a hash'),
];

const extensionRows: readonly Row[] = [
  ifSet('gem', isString, 'extension gem must be a string'),
  ifSet('version', isString, 'extension version must be a string'),
];

export const mutatorProblems = (mutator: Json): string[] => judge(mutator, mutatorRows);
export const handlerProblems = (handler: Json): string[] => judge(handler, handlerRows);
export const extensionProblems = (extension: Json): string[] => judge(extension, extensionRows);
export const filterProblems = (filter: Json): string[] => [
  ...judge(filter, filterRows),
  ...(isMap(filter['when']) || (filter['when'] !== undefined && filter['when'] !== null)
    ? timeWindowProblems(filter['when'], 'filter when')
    : []),
];
