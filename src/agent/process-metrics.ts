// Process metrics for the agent's /metrics, in Prometheus text format.
import { version } from '../program/version.ts';

export const processMetrics = (): string => {
  const memory = process.memoryUsage();
  const cpu = process.cpuUsage();
  const started = Math.floor(Date.now() / 1000 - process.uptime());
  const gauges: readonly (readonly [string, string, number])[] = [
    ['process_cpu_seconds_total', 'counter', (cpu.user + cpu.system) / 1e6],
    ['process_resident_memory_bytes', 'gauge', memory.rss],
    ['process_start_time_seconds', 'gauge', started],
    ['nodejs_heap_size_used_bytes', 'gauge', memory.heapUsed],
  ];
  const labels = `version="${version}",nodeversion="${process.version}"`;
  const build = `# TYPE mon_build_info gauge\nmon_build_info{${labels}} 1\n`;
  return build + gauges.map(([name, type, value]) => `# TYPE ${name} ${type}\n${name} ${value}\n`).join('');
};
