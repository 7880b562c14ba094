/*
 * Draws the rows of charts. There is one plot for each row and run; the plots of a row have the same axes, so that they can be
 * compared by eye. Never changes what is shown.
 */
// ---- The axes ------------------------------------------------------------------------------------------------------

/** The first index whose value is not less. */
function lowerBound(values, value) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find(step => value <= step * power * (1 + 1e-9));
}

/** The lowest above zero, the lowest and the highest value that is in sight in any run. */
function extentOf(row) {
  const [from, to] = rangeOf(row);
  const extent = { positive: Infinity, low: Infinity, high: 0 };
  const see = value => {
    extent.low = Math.min(extent.low, value);
    extent.high = Math.max(extent.high, value);
    extent.positive = value > 0 ? Math.min(extent.positive, value) : extent.positive;
  };
  for (const { times, shown } of row.plots) {
    for (let i = lowerBound(times, from); i < times.length && times[i] <= to; i++) {
      let stack = 0;
      for (const series of shown) {
        const value = series.values[i];
        if (Number.isNaN(value)) {
          continue;
        }
        stack = series.shape === 'area' && !row.overlaid ? stack + value : value;
        see(stack);
      }
    }
  }
  return extent;
}

/** One range for the plots of all runs, so that they can be compared by eye. */
function valueRange(row) {
  const extent = extentOf(row);
  if (row.axis === 'log') {
    const least = Number.isFinite(extent.positive) ? extent.positive : 1000;
    const floor = 10 ** (Math.ceil(Math.log10(least)) - 1);
    return [floor, 10 ** Math.ceil(Math.log10(Math.max(extent.high, floor * 100)))];
  }
  row.above = [];
  for (const { limits } of row.plots) {
    for (const limit of limits) {
      // A limit that is far away would press everything else to the ground.
      if (extent.high === 0 || limit.value <= 2.5 * extent.high) {
        extent.high = Math.max(extent.high, limit.value * 1.08);
      } else {
        row.above.push(limit.text);
      }
    }
  }
  if (row.axis === 'share') {
    const low = extent.low > 0.5 ? Math.floor(extent.low * 20) / 20 - 0.05 : 0;
    return [Number.isFinite(extent.low) ? low : 0, Math.max(1.05, Math.ceil(extent.high * 20) / 20)];
  }
  const high = extent.high * 1.02;
  const few = row.axis === 'count' && high <= 5;
  return [0, few ? Math.max(1, Math.ceil(high)) : roundUp(high || 1)];
}

const TIME_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];

function everyStep(scale, step) {
  scale.ticks = [];
  for (let i = Math.ceil(scale.min / step - 1e-9); i * step <= scale.max + 1e-9; i++) {
    scale.ticks.push({ value: i * step });
  }
}

function timeTicks(scale) {
  const most = Math.max(2, scale.chart.width / 80);
  everyStep(scale, TIME_STEPS.find(each => (scale.max - scale.min) / each <= most) ?? 864000);
}

function shareTicks(scale) {
  everyStep(scale, [0.01, 0.02, 0.05, 0.1].find(each => (scale.max - scale.min) / each <= 6) ?? 0.2);
}

function decadeTicks(scale) {
  scale.ticks = [];
  for (let value = scale.min; value <= scale.max * 1.001; value *= 10) {
    scale.ticks.push({ value });
  }
}

// ---- Drawing -------------------------------------------------------------------------------------------------------

/** The style sheet's colours, until it changes between light and dark. */
const colors = new Map();

function color(name) {
  if (!colors.has(name)) {
    colors.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  }
  return colors.get(name);
}

const MARKS = {
  fault: { sign: '▼', word: 'fault', color: 'refused' },
  recovery: { sign: '▲', word: 'recovery', color: 'inUse' },
  converged: { sign: '◆', word: 'converged', color: 'good' },
  promise: { sign: '✖', word: 'broken promise', color: 'bad' },
};
const markOf = mark => MARKS[mark.kind] ?? { sign: '●', word: mark.kind, color: 'quiet' };

/** What the charts' library does not draw: limits, events, and a word where there is nothing. */
const overlay = {
  id: 'overlay',
  afterDatasetsDraw(chart) {
    const { ctx, chartArea: box, scales, plot } = chart;
    if (!plot || !box) {
      return;
    }
    ctx.save();
    ctx.font = '11px system-ui, "DejaVu Sans", sans-serif';
    ctx.textAlign = 'center';
    if (plot.empty) {
      ctx.fillStyle = color('quiet');
      ctx.fillText('none', (box.left + box.right) / 2, (box.top + box.bottom) / 2);
    }
    const highest = Math.max(...plot.limits.map(limit => limit.value));
    plot.limits.forEach(limit => drawLimit(ctx, box, scales.y, limit, limit.value === highest));
    if (!plot.row.ages) {
      drawMarks(ctx, box, scales.x, plot.run.marks);
    }
    ctx.restore();
  },
};

/** The text of the highest is above its line if there is room, so that two that are close do not cover each other. */
function drawLimit(ctx, box, scale, limit, highest) {
  const y = scale.getPixelForValue(limit.value);
  if (y < box.top || y > box.bottom) {
    return;
  }
  ctx.strokeStyle = color('bad');
  ctx.lineWidth = 1.5;
  ctx.setLineDash([7, 4]);
  ctx.beginPath();
  ctx.moveTo(box.left, y);
  ctx.lineTo(box.right, y);
  ctx.stroke();
  ctx.setLineDash([]);
  const textAbove = highest && !limit.below && y - 16 >= box.top;
  const width = ctx.measureText(limit.text).width;
  ctx.fillStyle = color('card');
  ctx.globalAlpha = 0.85;
  ctx.fillRect(box.right - width - 8, textAbove ? y - 16 : y + 2, width + 6, 14);
  ctx.globalAlpha = 1;
  ctx.fillStyle = color('bad');
  ctx.fillText(limit.text, box.right - width / 2 - 5, textAbove ? y - 5 : y + 13);
}

function drawMarks(ctx, box, scale, marks) {
  ctx.lineWidth = 1;
  for (const mark of marks) {
    const x = scale.getPixelForValue(mark.ms / 1000);
    if (x < box.left - 0.5 || x > box.right + 0.5) {
      continue;
    }
    const look = markOf(mark);
    ctx.strokeStyle = ctx.fillStyle = color(look.color);
    ctx.globalAlpha = 0.7;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    ctx.moveTo(x, box.top);
    ctx.lineTo(x, box.bottom);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.fillText(look.sign, x, box.top - 3);
  }
}

/** A point that has no neighbour would be on no line, so it becomes a dot. */
function dots(values, first, last) {
  const radius = [];
  for (let i = first; i < last; i++) {
    radius.push(Number.isNaN(values[i - 1] ?? NaN) && Number.isNaN(values[i + 1] ?? NaN) ? 1.5 : 0);
  }
  return radius;
}

function dataset(row, plot, series, floor) {
  const [from, to] = rangeOf(row);
  const first = Math.max(0, lowerBound(plot.times, from) - 1);
  const last = Math.min(plot.times.length, lowerBound(plot.times, to) + 2);
  const points = [];
  for (let i = first; i < last; i++) {
    points.push({ x: plot.times[i], y: floor ? Math.max(series.values[i], floor) : series.values[i] });
  }
  const hue = color(series.color);
  const filled = series.shape === 'area';
  return {
    type: row.ages ? 'bar' : 'line',
    label: series.name,
    data: points,
    stack: filled && !row.overlaid ? 'areas' : series.key,
    // The lowest is drawn last, on top.
    order: filled ? (row.overlaid ? -plot.shown.indexOf(series) : 0) : -1,
    // Areas come before lines, so the one before is the area below.
    fill: filled ? (row.overlaid || plot.shown.indexOf(series) === 0 ? 'origin' : '-1') : false,
    // No outline along the ground.
    segment: filled && !row.ages
        ? { borderColor: at => (at.p0.parsed.y || at.p1.parsed.y ? undefined : 'transparent') }
        : undefined,
    backgroundColor: row.ages ? hue : `color-mix(in srgb, ${hue} ${row.overlaid ? 92 : 75}%, transparent)`,
    borderColor: hue,
    borderWidth: row.ages ? 0 : filled ? 1 : 1.3,
    borderDash: series.shape === 'dashed' ? [6, 4] : [],
    stepped: filled && row.step ? row.step() : false,
    pointRadius: filled ? 0 : dots(series.values, first, last),
    pointBackgroundColor: hue,
    barPercentage: 1,
    categoryPercentage: 0.9,
    grouped: false,
  };
}

function newChart(row, canvas) {
  const axis = { border: {}, grid: { offset: false }, ticks: { font: { size: 11 }, maxRotation: 0 } };
  return new Chart(canvas, {
    type: row.ages ? 'bar' : 'line',
    data: { datasets: [] },
    plugins: [overlay],
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      events: [],
      layout: { padding: { top: 16, right: 14 } },
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      scales: {
        x: {
          ...structuredClone(axis),
          type: 'linear',
          offset: false,
          afterBuildTicks: timeTicks,
          ticks: { ...axis.ticks, autoSkip: false, callback: clock },
        },
        y: {
          ...structuredClone(axis),
          type: row.axis === 'log' ? 'logarithmic' : 'linear',
          stacked: !row.overlaid,
          afterFit: scale => { scale.width = 58; },
          ...({ log: { afterBuildTicks: decadeTicks }, share: { afterBuildTicks: shareTicks } }[row.axis] ?? {}),
          ticks: {
            ...axis.ticks,
            maxTicksLimit: 8,
            precision: row.axis === 'count' ? 0 : undefined,
            callback(value) {
              if (row.axis === 'log') {
                return value === this.min ? '0' : span(value);
              }
              return row.axis === 'count' ? compact(value) : `${+(value * 100).toFixed(1)} %`;
            },
          },
        },
      },
    },
  });
}

/** Limits that are the same become one with both texts. */
function merged(limits) {
  const texts = new Map();
  for (const { value, text } of limits) {
    texts.set(value, texts.has(value) ? `${texts.get(value)}, ${text}` : text);
  }
  return [...texts].map(([value, text]) => ({ value, text, below: limits.some(limit => limit.below) }));
}

/** Puts the values of the services chosen into a row's plots. */
function fill(row) {
  for (const plot of row.plots) {
    plot.times = timesOf(row, plot.run);
    plot.series = row.series(plot.run);
    plot.shown = plot.series.filter(series => !state.hidden.has(keyOf(row, series)));
    plot.limits = merged((row.limits?.(plot.run) ?? []).filter(limit => limit.value !== undefined));
    plot.empty = row.axis !== 'share'
        && plot.series.every(series => series.values.every(value => row.axis === 'log' ? Number.isNaN(value) : !value));
  }
}

function draw(row) {
  const [from, to] = rangeOf(row);
  const [low, high] = valueRange(row);
  for (const plot of row.plots) {
    const { x, y } = plot.chart.options.scales;
    Object.assign(x, { min: from, max: to });
    Object.assign(y, { min: low, max: high });
    for (const scale of [x, y]) {
      scale.grid.color = color('grid');
      scale.border.color = color('line');
      scale.ticks.color = color('quiet');
    }
    plot.chart.data.datasets = plot.shown.map(series => dataset(row, plot, series, row.axis === 'log' ? low : 0));
    plot.chart.update('none');
  }
  const above = [...new Set(row.above ?? [])];
  row.noteElement.textContent = [row.note(), ...above.map(text => `${text} is above the chart`)].filter(Boolean).join('; ');
  drawLegend(row);
}

function drawLegend(row) {
  const names = new Map(row.plots.flatMap(plot => plot.series.map(series => [series.key, series])));
  // A single series is what the title says, unless it is one of many that there could be.
  if (names.size < 2 && !row.alwaysNamed) {
    row.legend.replaceChildren();
    return;
  }
  const old = [...row.legend.children].map(button => button.dataset.key + button.textContent).join();
  if (old === [...names.values()].map(series => keyOf(row, series) + series.name).join()) {
    return;
  }
  row.legend.replaceChildren(...[...names.values()].map(series => {
    const swatch = el('i', { class: { area: '', line: 'stroke', dashed: 'dashed' }[series.shape] });
    swatch.style.cssText = series.shape === 'area' ? `background: var(--${series.color})` : `border-color: var(--${series.color})`;
    const button = el('button', { type: 'button', 'aria-pressed': 'true', 'data-key': keyOf(row, series) }, swatch, series.name);
    button.onclick = () => toggle(row, series, button);
    button.setAttribute('aria-pressed', String(!state.hidden.has(keyOf(row, series))));
    return button;
  }));
}

const timeRows = () => ROWS.filter(row => row.plots && !row.ages);

function drawAll() {
  colors.clear();
  for (const row of ROWS.filter(each => each.plots)) {
    fill(row);
    draw(row);
  }
}
