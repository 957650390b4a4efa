// A page as axe-core sees it, in every theme and palette: names, roles, contrast, and what else it knows.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const themes = ['dark', 'light', 'contrast'] as const;
const palettes = ['standard', 'deuteranopia', 'tritanopia'] as const;

/** Everything in one theme; the contrast alone in the others, since nothing else changes. */
export const look = async (page: Page, place: string): Promise<string[]> => {
  const found: string[] = [];
  for (const palette of palettes)
    for (const theme of themes) {
      const isFirst = palette === 'standard' && theme === 'dark';
      await page.evaluate(
        `Object.assign(document.documentElement.dataset, ${JSON.stringify({ theme, palette })})`,
      );
      if (isFirst) await page.evaluate(source);
      const rules = isFirst ? {} : { runOnly: ['color-contrast'] };
      const violations = (await page.evaluate(
        `axe.run(document, ${JSON.stringify(rules)}).then(({ violations }) => violations)`,
      )) as Violation[];
      for (const { id, nodes } of violations)
        for (const node of nodes.slice(0, 4))
          found.push(
            `${place} ${theme}/${palette}: ${id} at ${node.target.join(' ')}: ${node.failureSummary}`,
          );
    }
  return found;
};
