import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewOf } from '@whale/experiment-view';
import { scriptedData, type ScriptedData } from '../support/scripted-data.ts';
import { embedded } from '@whale/service-host';
import { withData } from '../log/open.ts';
import { writeReport } from './write-report.ts';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const there = existsSync(CHROMIUM);
if (!there) console.log(`skipped: the report in a browser (no Chromium at ${CHROMIUM}; set CHROMIUM)`);

const HOSTILE = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script></script></svg></pre>'`;

/** Runs in the browser. */
const DISTINCT_COLOURS = `async (source) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
  canvas.drawImage(image, 0, 0);
  const { data } = canvas.getImageData(0, 0, image.width, image.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return seen.size;
}`;

describe.skipIf(!there)('the report in a browser', () => {
  let data: ScriptedData;
  let browser: Browser;
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'whale-report-'));
    file = join(folder, 'report.html');
    data = await scriptedData(join(folder, 'data'), {
      spec: { description: HOSTILE, harness: { acceptance: 'confirm' } },
      script: {
        audited: true,
        question: (taskId) => `${taskId} ${HOSTILE}`,
        hypothesis: (number) => `${number} ${HOSTILE}`,
      },
    });
    const view = viewOf(data.experimentId, data.events);
    await withData(embedded(data.path), async (open) => writeReport(view, open as never, file));
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const opened = async (options: Parameters<Browser['newPage']>[0] = {}) => {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
    await page.context().setOffline(true);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) complaints.push(`asks for ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href);
    return { page, complaints };
  };

  it('opens offline from a file without a complaint, and is small', async () => {
    const { page, complaints } = await opened();
    expect(await page.title()).toContain(data.experimentId);
    expect(await page.locator('h1').textContent()).toMatch(/^Test accuracy rose from/);
    expect(complaints).toEqual([]);
    expect(statSync(file).size).toBeLessThan(500_000);
    await page.close();
  });

  it('draws each chart, in light and in dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await opened({ colorScheme });
      for (const id of ['accuracy', 'reward', 'archive']) {
        expect(await colours(page, `#chart-${id}`), `${id} in ${colorScheme}`).toBeGreaterThan(4);
      }
      await page.close();
    }
  });

  it('shows on hover what a datum says', async () => {
    const { page } = await opened();
    await page.locator('#chart-archive [data-hint]').last().hover();
    expect(await page.locator('.hint').textContent()).toMatch(/accepted/);
    await page.close();
  });

  it('tells how candidates were proposed, what was confirmed, and what noise would have been accepted', async () => {
    const { page } = await opened();
    const text = (await page.locator('main').textContent()) ?? '';
    expect(text).toMatch(/iteration 1 of cycle 1: \w+, \d of \d candidates?; \d calls?, [\d,]+ tokens/u);
    expect(text).toMatch(/ended: finished/u);
    expect(text).toMatch(/(accepted|refused): (not )?better on fresh rollouts/u);
    expect(text).toMatch(/candidates in \d+ iterations? on \d+ tasks/u);
    await page.close();
  });

  it('escapes whatever the events say', async () => {
    const { page } = await opened();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('.segment.user').first().textContent()).toContain(HOSTILE);
    expect(await page.locator('[data-hint*="onerror"]').count()).toBeGreaterThan(0);
    await page.close();
  });

  it('fits a phone without scrolling sideways', async () => {
    const { page } = await opened({ viewport: { width: 390, height: 800 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.close();
  });

  /** Distinct colours in a picture of an element: more than its background when something is drawn. */
  async function colours(page: Page, selector: string): Promise<number> {
    const png = await page.locator(selector).screenshot();
    // Another page, since the report's own policy allows no images.
    const blank = await browser.newPage();
    const source = `data:image/png;base64,${png.toString('base64')}`;
    const count = await blank.evaluate<number>(`(${DISTINCT_COLOURS})(${JSON.stringify(source)})`);
    await blank.close();
    return count;
  }
});
