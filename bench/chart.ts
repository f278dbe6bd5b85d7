/** Charts as plain SVG: panels side by side, both axes by powers of ten, readable on light and on dark paper. Pure. */

export interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** For what only explains another one. */
  readonly isDashed?: boolean;
}

/** Both above zero. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface ChartOptions {
  readonly title: string;
  /** Under all panels. */
  readonly xTitle: string;
  readonly panels: readonly Panel[];
  /** Under the chart: what was measured, where and when. */
  readonly note: string;
}

const panelWidth = 440;
const plot = { left: 56, top: 56, width: 290, height: 300 };
const height = plot.top + plot.height + 76;

/** Told apart also by who does not see colours: by their order on the right, where each has its name. */
const colours = ['a', 'b', 'c', 'd'] as const;

const style = `
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .line { fill: none; stroke-width: 2; }
  .dashed { stroke-dasharray: 5 4; }
  .a { stroke: #0969da; } .b { stroke: #bc4c00; } .c { stroke: #1a7f37; } .d { stroke: #8250df; }
  text.a, text.b, text.c, text.d { stroke: none; }
  text.a, circle.a { fill: #0969da; } text.b, circle.b { fill: #bc4c00; }
  text.c, circle.c { fill: #1a7f37; } text.d, circle.d { fill: #8250df; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .grid { stroke: #3d444d; }
    .a { stroke: #58a6ff; } .b { stroke: #f0883e; } .c { stroke: #3fb950; } .d { stroke: #bc8cff; }
    text.a, circle.a { fill: #58a6ff; } text.b, circle.b { fill: #f0883e; }
    text.c, circle.c { fill: #3fb950; } text.d, circle.d { fill: #bc8cff; }
  }`;

export function drawChart({ title, xTitle, panels, note }: ChartOptions): string {
  const width = panelWidth * panels.length;
  const names = panels.map((panel) => `${panel.title}: ${panel.series.map(({ name }) => name).join(', ')}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title about">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="about">${escaped(names.join('; '))}</desc>`,
    `<style>${style}\n</style>`,
    `<text class="title" x="${plot.left}" y="22">${escaped(title)}</text>`,
    ...panels.map((panel, index) => drawPanel(panel, { left: index * panelWidth, xTitle })),
    `<text x="${plot.left}" y="${height - 12}">${escaped(note)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel(panel: Panel, { left, xTitle }: { readonly left: number; readonly xTitle: string }): string {
  const points = panel.series.flatMap((series) => series.points);
  const across = axis(points.map(({ x }) => x));
  const up = axis(points.map(({ y }) => y));
  const place = ({ x, y }: Point): Point => ({
    x: plot.left + plot.width * across.at(x),
    y: plot.top + plot.height * (1 - up.at(y)),
  });
  const sizes = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
  const bottom = plot.top + plot.height;
  return [
    `<g transform="translate(${left} 0)">`,
    `<text x="${plot.left}" y="44">${escaped(panel.title)}</text>`,
    ...up.powers.map((power) => {
      const { y } = place({ x: sizes[0] ?? 1, y: power });
      const line = `<line class="grid" x1="${plot.left}" y1="${fixed(y)}" x2="${plot.left + plot.width}" y2="${fixed(y)}"/>`;
      return `${line}<text x="${plot.left - 8}" y="${fixed(y + 4)}" text-anchor="end">${shownNumber(power)}</text>`;
    }),
    ...sizes.map((size) => {
      const { x } = place({ x: size, y: up.powers[0] ?? 1 });
      const line = `<line class="grid" x1="${fixed(x)}" y1="${plot.top}" x2="${fixed(x)}" y2="${bottom}"/>`;
      return `${line}<text x="${fixed(x)}" y="${bottom + 18}" text-anchor="middle">${shownNumber(size)}</text>`;
    }),
    `<text x="${plot.left + plot.width / 2}" y="${bottom + 38}" text-anchor="middle">${escaped(xTitle)}</text>`,
    ...drawSeries(panel.series, place),
    '</g>',
  ].join('\n');
}

function drawSeries(series: readonly Series[], place: (point: Point) => Point): readonly string[] {
  const drawn = series
    .map(({ name, points, isDashed = false }, index) => {
      const placed = [...points].sort((a, b) => a.x - b.x).map(place);
      return {
        name,
        placed,
        isDashed,
        colour: colours[index % colours.length] ?? 'a',
        endY: placed.at(-1)?.y ?? plot.top,
      };
    })
    .filter(({ placed }) => placed.length > 0);
  const labels = apart(drawn.map(({ endY }) => endY));
  return drawn.map(({ name, placed, isDashed, colour }, index) => {
    const at = placed.map(({ x, y }) => `${fixed(x)},${fixed(y)}`).join(' ');
    const dots = placed.map(({ x, y }) => `<circle class="${colour}" cx="${fixed(x)}" cy="${fixed(y)}" r="3"/>`);
    return [
      `<polyline class="line ${colour}${isDashed ? ' dashed' : ''}" points="${at}"/>`,
      ...dots,
      `<text class="${colour}" x="${plot.left + plot.width + 8}" y="${fixed((labels[index] ?? 0) + 4)}">${escaped(name)}</text>`,
    ].join('');
  });
}

const labelPitch = 15;

/** The same places, moved down where labels would lie on each other. */
export function apart(places: readonly number[]): readonly number[] {
  const moved = [...places];
  let free = Number.NEGATIVE_INFINITY;
  for (const index of places.map((_, at) => at).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0))) {
    moved[index] = Math.max(moved[index] ?? 0, free);
    free = (moved[index] ?? 0) + labelPitch;
  }
  return moved;
}

interface Axis {
  readonly powers: readonly number[];
  /** Between 0 and 1. */
  at(value: number): number;
}

/** From the power of ten below the least to the one above the most. */
function axis(values: readonly number[]): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    powers: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
    at: (value) => (Math.log10(value) - low) / (high - low),
  };
}

function shownNumber(value: number): string {
  return value >= 1_000 ? value.toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

function fixed(value: number): string {
  return String(Number(value.toFixed(1)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
