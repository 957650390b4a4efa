// Runs the examples of a page of the handbook against real programs, as a reader would type them.
//
// ```sh              is run by bash in the folder of the page; exported variables last until its end
// ```sh background   is started and runs until the last page is read; the same text on a later page starts nothing
// ```sh wait         is repeated until it prints the block ```text that follows it
// ```sh elsewhere    is not run: it needs another machine, or root
// ```text            what the block before it prints; a line `...` stands for any lines, `...` in a line for any text
// ```yaml file=NAME  is written to this file (any language)
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';

export interface Block {
  readonly line: number;
  readonly language: string;
  readonly words: readonly string[];
  readonly file: string | undefined;
  readonly content: string;
}

const blocksOf = (page: string): readonly Block[] => {
  const blocks: Block[] = [];
  const lines = page.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const info = /^```(\S.*)$/.exec(lines[at] ?? '')?.[1];
    if (info === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    assert.notEqual(end, -1, `line ${at + 1}: the block does not end`);
    const [language = '', ...words] = info.split(/\s+/);
    blocks.push({
      line: at + 1,
      language,
      words,
      file: words.find((word) => word.startsWith('file='))?.slice('file='.length),
      content: lines.slice(at + 1, end).join('\n'),
    });
    at = end;
  }
  return blocks;
};

const plain = (line: string): string => line.trim().replaceAll(/\s+/g, ' ');

const lineMatches = (line: string, wanted: string): boolean => {
  const parts = plain(wanted)
    .split('...')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(plain(line));
};

/** Whether a text is what a block ```text shows. */
export const isShown = (text: string, block: string): boolean => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const wanted = block.split('\n').filter((line) => line.trim() !== '');
  const from = (at: number, next: number): boolean => {
    if (next === wanted.length) return at === lines.length;
    if (wanted[next]?.trim() === '...')
      return (
        lines.slice(at).some((_, skipped) => from(at + skipped, next + 1)) || from(lines.length, next + 1)
      );
    return at < lines.length && lineMatches(lines[at] ?? '', wanted[next] ?? '') && from(at + 1, next + 1);
  };
  return from(0, 0);
};

interface Ran {
  readonly code: number;
  readonly text: string;
}

export class Reader {
  readonly #dir: string;
  readonly #environment: Record<string, string>;
  readonly #ports: ReadonlyMap<string, number>;
  readonly #running = new Map<string, ChildProcess>();

  private constructor(dir: string, ports: ReadonlyMap<string, number>, environment: Record<string, string>) {
    this.#dir = dir;
    this.#ports = ports;
    this.#environment = environment;
    process.on('exit', this.#kill).on('SIGTERM', this.#leave);
  }

  /** The programs as commands on the path, and free ports instead of the default ones; `given` are those of servers that run already. */
  static async open(
    dir: string,
    root: string,
    given: Readonly<Record<string, number>> = {},
  ): Promise<Reader> {
    const names = ['8080', '8081', '3031', '3030', '8125', '8090', '2003'];
    const ports = new Map<string, number>(Object.entries(given));
    for (const name of names) ports.set(name, await freePort());
    const bin = join(dir, '.bin');
    mkdirSync(bin);
    for (const name of ['mon-backend', 'mon-agent', 'mon-ctl', 'mon-client'])
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin', `${name}.js`)}' "$@"\n`,
        {
          mode: 0o755,
        },
      );
    writeFileSync(join(dir, '.variables'), '');
    return new Reader(dir, ports, {
      PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
      HOME: dir,
      LANG: 'C.UTF-8',
      MON_BACKEND_API_LISTEN_ADDRESS: `127.0.0.1:${ports.get('8080')}`,
      MON_BACKEND_AGENT_HOST: '127.0.0.1',
      MON_BACKEND_AGENT_PORT: String(ports.get('8081')),
      MON_BACKEND_URL: `ws://127.0.0.1:${ports.get('8081')}`,
      MON_API_PORT: String(ports.get('3031')),
      MON_SOCKET_PORT: String(ports.get('3030')),
      MON_STATSD_METRICS_PORT: String(ports.get('8125')),
    });
  }

  /** Rejects with the line of the first example that does not do what the page says. */
  async read(path: string): Promise<void> {
    const blocks = blocksOf(readFileSync(path, 'utf8'));
    for (const [at, block] of blocks.entries()) {
      const next = blocks[at + 1];
      const shown = next?.language === 'text' ? next.content : undefined;
      const where = `${path}:${block.line}`;
      if (block.file !== undefined)
        writeFileSync(join(this.#dir, block.file), `${this.#local(block.content)}\n`);
      else if (block.language === 'sh') await this.#example(block, shown, where);
      else if (block.language !== 'text')
        assert.fail(`${where}: a block of ${block.language} needs file=NAME, so that it is used`);
    }
  }

  /** Where this process ends before `close`, what it started must not go on: groups of their own outlive it. */
  readonly #kill = (): void => {
    for (const { pid, exitCode, signalCode } of this.#running.values())
      if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
  };
  readonly #leave = (): never => process.exit(143);

  async close(): Promise<void> {
    process.off('exit', this.#kill).off('SIGTERM', this.#leave);
    for (const child of [...this.#running.values()].reverse()) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode !== null || child.signalCode !== null) continue;
      // Its process group: what it started ends, too.
      process.kill(-(child.pid ?? 0), 'SIGTERM');
      await ended;
    }
  }

  async #example({ content, words }: Block, shown: string | undefined, where: string): Promise<void> {
    if (words.includes('elsewhere')) return;
    if (words.includes('background')) return this.#start(content);
    const endMs = performance.now() + 120_000;
    for (;;) {
      const { code, text } = await this.#run(content);
      const isDone = code === 0 && (shown === undefined || isShown(text, this.#local(shown)));
      if (isDone) return;
      if (!words.includes('wait') || performance.now() > endMs)
        assert.fail(
          `${where}: exit status ${code}, and it printed\n${text}\n${shown === undefined ? '' : `instead of\n${shown}`}`,
        );
      await sleep(700);
    }
  }

  #local(text: string): string {
    let local = text;
    for (const [name, port] of this.#ports)
      local = local.replaceAll(
        new RegExp(`(127\\.0\\.0\\.1(?:[ :]|", |, port: ))${name}\\b`, 'g'),
        `$1${port}`,
      );
    return local;
  }

  #script(content: string): string {
    return `. ./.variables\nset -eo pipefail\n${this.#local(content)}\n`;
  }

  #start(content: string): void {
    if (this.#running.has(content)) return;
    const child = spawn('bash', ['-c', this.#script(content)], {
      cwd: this.#dir,
      env: this.#environment,
      stdio: 'ignore',
      detached: true,
    });
    this.#running.set(content, child);
  }

  #run(content: string): Promise<Ran> {
    const script = `${this.#script(content)}export -p > .variables\n`;
    return new Promise((resolve) => {
      execFile(
        'bash',
        ['-c', script],
        { cwd: this.#dir, env: this.#environment, timeout: 60_000 },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
          resolve({ code, text: code === 0 ? stdout : `${stdout}${stderr}` });
        },
      );
    });
  }
}
