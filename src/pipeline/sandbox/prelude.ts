// The programs that initialize an interpreter: the globals available to user code besides plain JavaScript. They
// are source text, since only strings and numbers may cross from the host. Each evaluates to an object of host
// functions that user code cannot reach.

/**
 * Set beside an entity that is passed instead of an event: expressions then see only that entity, as `entity`
 * (proxy requests). Events never contain this key.
 */
export const candidateKey = 'is_candidate';

const globals = `
  var parse = JSON.parse, now = 0;
  var add = function (name, read) {
    Object.defineProperty(global, name, {
      value: function (ts) { return arguments.length ? read(ts) : 0; }, writable: true, configurable: true
    });
  };
  add('hour', function (ts) { return new Date(ts * 1000).getUTCHours(); });
  add('minute', function (ts) { return new Date(ts * 1000).getUTCMinutes(); });
  add('second', function (ts) { return new Date(ts * 1000).getUTCSeconds(); });
  add('weekday', function (ts) { return new Date(ts * 1000).getUTCDay(); });
  add('seconds_since', function (ts) { return now - ts; });
  global.sensu = {};
  global.mon = {};
  global.console = { log: function () {} };
  var truth = function (value) { return value ? 1 : 0; };
  var candidate = ${JSON.stringify(candidateKey)}, current;
  var show = function (event) {
    current = event;
    if (event[candidate]) { global.entity = event.entity; delete global.event; }
    else { global.event = event; delete global.entity; }
  };`;

/**
 * For one expression that is not read-only, in its own context. Small, since it is parsed each time; the event is
 * the output of `whole` in the shared context.
 */
export const freshPrelude = `(function (global) {${globals}
  return {
    enter: function (json, nowSeconds) { now = nowSeconds; show(parse(json)); },
    truth: truth
  };
})(globalThis)`;

/**
 * For filter expressions. Helper functions take Unix seconds and use UTC; without an argument they return 0. The
 * metadata of `event` is available nested and at the top level, and optional fields are never undefined; only
 * `check` and `metrics` are missing if the event has none. This runs inside the interpreter, which makes the JSON a
 * third smaller; parsing it dominates the cost of an evaluation.
 */
export const filterPrelude = `(function (global) {${globals}
  var lists = {
    check: ['check_hooks', 'depends_on', 'env_vars', 'handlers', 'history', 'hooks', 'masked_by', 'output_metric_handlers', 'output_metric_tags',
      'output_metric_thresholds', 'pipelines', 'runtime_assets', 'secrets', 'silenced', 'subdues', 'subscriptions'],
    entity: ['keepalive_handlers', 'redact', 'subscriptions'],
    metrics: ['handlers', 'points'],
    event: ['pipelines']
  };
  var words = { check: ['command', 'cron', 'masking', 'processed_by', 'state'], entity: ['user'], event: ['id'], metrics: [] };
  var numbers = { check: ['duration', 'max_output_size', 'ttl_status'], event: ['timestamp'], entity: [], metrics: [] };
  var fill = function (scope, kind) {
    var i, keys = lists[kind];
    for (i = 0; i < keys.length; i++) if (scope[keys[i]] == null) scope[keys[i]] = [];
    for (keys = words[kind], i = 0; i < keys.length; i++) if (scope[keys[i]] == null) scope[keys[i]] = '';
    for (keys = numbers[kind], i = 0; i < keys.length; i++) if (scope[keys[i]] == null) scope[keys[i]] = 0;
  };
  var hoist = function (scope) {
    var metadata = scope.metadata || (scope.metadata = {});
    scope.name = metadata.name = metadata.name || '';
    scope.namespace = metadata.namespace = metadata.namespace || '';
    scope.labels = metadata.labels = metadata.labels || {};
    scope.annotations = metadata.annotations = metadata.annotations || {};
    scope.created_by = metadata.created_by = metadata.created_by || '';
  };
  var describe = function (event, check) {
    var history = check ? check.history : [];
    var previous = history[history.length - 2] || { status: 0 };
    var flapping = !!check && check.state === 'flapping';
    event.has_check = !!check;
    event.has_metrics = !!event.metrics;
    event.is_incident = !!check && check.status !== 0;
    event.is_resolution = !!check && check.status === 0 && previous.status !== 0;
    event.is_silenced = !!check && check.silenced.length > 0;
    event.is_masked = !!check && check.masked_by.length > 0;
    event.is_flapping_start = flapping && previous.flapping !== true;
    event.is_flapping_end = !!check && !flapping && previous.flapping === true;
  };
  return {
    enter: function (json, nowSeconds) {
      var event = parse(json), check = event.check;
      now = nowSeconds;
      hoist(event); fill(event, 'event');
      hoist(event.entity); fill(event.entity, 'entity');
      event.entity.deregistration = event.entity.deregistration || {};
      event.entity.deregistration.handler = event.entity.deregistration.handler || '';
      if (check) { hoist(check); fill(check, 'check'); if (check.discard_output == null) check.discard_output = false; }
      if (event.metrics) fill(event.metrics, 'metrics');
      describe(event, check);
      show(event);
    },
    whole: function () { return JSON.stringify(current); }
  };
})(globalThis)`;

/**
 * For mutators: the event as serialized. Its metadata can also be read and written at the top level
 * (`event.check.labels`), as in filters. `finish` converts the mutator's return value to text: `T` and the output,
 * or `C` and the class of an invalid result.
 */
export const mutatorPrelude = `(function (global) {
  var parse = JSON.parse, stringify = JSON.stringify, classOf = Object.prototype.toString, call = Function.call;
  var className = call.bind(classOf), define = Object.defineProperty;
  var hoist = function (scope) {
    var metadata = scope && scope.metadata;
    if (!metadata) return;
    ['name', 'namespace', 'labels', 'annotations', 'created_by'].forEach(function (key) {
      define(scope, key, {
        enumerable: false, configurable: true,
        get: function () { return metadata[key]; },
        set: function (value) { metadata[key] = value; }
      });
    });
  };
  global.console = { log: function () {} };
  return {
    enter: function (json) {
      var event = parse(json);
      hoist(event); hoist(event.entity); hoist(event.check);
      global.event = event;
    },
    finish: function (result) {
      if (typeof result === 'string') return 'T' + result;
      if (result === undefined || result === null) return 'T' + stringify(global.event);
      return 'C' + className(result).slice(8, -1);
    }
  };
})(globalThis)`;
