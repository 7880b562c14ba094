/*
 * What people may do: choose services, zoom, hide a series, and read values with the pointer or the arrow keys.
 */
// ---- What people may change ----------------------------------------------------------------------------------------

function toggle(row, series, button) {
  const key = keyOf(row, series);
  if (!state.hidden.delete(key)) {
    state.hidden.add(key);
  }
  button.setAttribute('aria-pressed', String(!state.hidden.has(key)));
  fill(row);
  draw(row);
}

function choose(names) {
  state.chosen = new Set(names);
  for (const box of document.querySelectorAll('.pick input')) {
    box.checked = state.chosen.has(box.value);
  }
  const few = allServices.filter(name => state.chosen.has(name));
  document.getElementById('chosen').textContent = everyone()
      ? `all ${allServices.length}`
      : few.length === 0 ? 'none' : few.length <= 3 ? few.join(', ') : `${few.length} of ${allServices.length}`;
  drawAll();
}

/** Shows a stretch of time in all charts, at least a second of it. */
function zoom(from, to) {
  const width = Math.min(wholeRun, Math.max(1, to - from));
  state.from = Math.max(0, Math.min(from, wholeRun - width));
  state.to = state.from + width;
  document.getElementById('range').textContent = `${clock(state.from)} to ${clock(state.to)}`;
  hideTip();
  timeRows().forEach(draw);
}

const zoomAll = () => zoom(0, wholeRun);

function zoomBy(factor) {
  const middle = (state.from + state.to) / 2;
  const half = (state.to - state.from) / 2 * factor;
  zoom(middle - half, middle + half);
}

function move(share) {
  const by = (state.to - state.from) * share;
  zoom(state.from + by, state.to + by);
}

// ---- Pointer and keys on a plot ------------------------------------------------------------------------------------

const tip = document.getElementById('tip');
let reading = null;

function hideTip() {
  tip.hidden = true;
  reading = null;
  document.querySelectorAll('.cursor').forEach(cursor => { cursor.hidden = true; });
}

/** The index of the point that stands for a time. */
function indexAt(plot, time) {
  const { row, times } = plot;
  if (row.ages) {
    return Math.min(times.length - 1, Math.floor(time / (plot.run.ages.stepMs / 1000)));
  }
  const next = Math.min(times.length - 1, lowerBound(times, time));
  const step = row.step?.();
  if (step === 'after' || next === 0) {
    return next;
  }
  const nearer = time - times[next - 1] < times[next] - time;
  return step === 'before' ? (times[next] === time ? next : next - 1) : nearer ? next - 1 : next;
}

function when(plot, index) {
  const at = plot.times[index];
  if (plot.row.ages) {
    const half = plot.run.ages.stepMs / 2000;
    return `${clock(at - half)} to ${clock(at + half)} old`;
  }
  return clock(at);
}

/** Shows the values of all runs at a time, beside that place of a plot. */
function read(plot, time) {
  const { row, chart } = plot;
  const format = formatOf(row);
  const index = indexAt(plot, time);
  reading = { plot, index };
  const others = row.plots.map(each => ({ each, index: indexAt(each, time) }));
  const lines = plot.shown.map(series => {
    const values = others.map(other =>
        other.each.shown.find(same => same.key === series.key)?.values[other.index] ?? NaN);
    return { series, values };
  }).filter(({ values }) => plot.shown.length < 5 || values.some(value => value));
  const table = el('table', {},
      el('thead', {}, el('tr', {}, el('th', {}, when(plot, index)), ...(compare ? runs.map(run => el('td', {}, run.label)) : []))),
      el('tbody', {}, ...lines.map(({ series, values }) => {
        const swatch = el('i', {});
        swatch.style.background = `var(--${series.color})`;
        return el('tr', {}, el('th', {}, swatch, series.name), ...values.map(value =>
            el('td', {}, Number.isNaN(value) ? '-' : format(value))));
      })));
  tip.replaceChildren(table, ...(row.ages ? [] : marksNear(plot, time)));
  tip.hidden = false;
  moveCursors(row, time);
  placeTip(chart.canvas.getBoundingClientRect(), chart.scales.x.getPixelForValue(time));
}

function marksNear(plot, time) {
  const near = 7 * (state.to - state.from) / (plot.chart.chartArea.right - plot.chart.chartArea.left);
  const found = plot.run.marks.filter(mark => Math.abs(mark.ms / 1000 - time) <= near);
  const shown = found.slice(0, 5).map(mark => el('p', {}, `${markOf(mark).sign} ${clock(mark.ms / 1000)} ${mark.text}`));
  return found.length > 5 ? [...shown, el('p', {}, `and ${found.length - 5} more`)] : shown;
}

function moveCursors(row, time) {
  for (const other of row.ages ? [row] : timeRows()) {
    for (const { chart, cursor } of other.plots) {
      const box = chart.chartArea;
      cursor.hidden = false;
      const left = chart.scales.x.getPixelForValue(time);
      cursor.style.cssText = `left: ${left}px; top: ${box.top}px; height: ${box.bottom - box.top}px`;
    }
  }
}

function placeTip(canvas, x) {
  const gap = 14;
  const at = canvas.left + x;
  const left = at + gap + tip.offsetWidth > innerWidth ? at - gap - tip.offsetWidth : at + gap;
  const top = Math.min(canvas.top + 30, innerHeight - tip.offsetHeight - 8);
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

function listen(plot) {
  const { canvas } = plot.chart;
  let began = null;
  const timeAt = event => {
    const { left, right } = plot.chart.chartArea;
    return plot.chart.scales.x.getValueForPixel(Math.max(left, Math.min(right, event.offsetX)));
  };
  canvas.addEventListener('pointerdown', event => {
    if (event.button === 0 && !plot.row.ages) {
      began = timeAt(event);
      canvas.setPointerCapture(event.pointerId);
    }
  });
  canvas.addEventListener('pointermove', event => {
    read(plot, timeAt(event));
    if (began !== null) {
      showDrag(Math.min(began, timeAt(event)), Math.max(began, timeAt(event)));
    }
  });
  const end = event => {
    const from = began;
    began = null;
    showDrag(0, 0);
    const pixels = from === null ? 0 : Math.abs(plot.chart.scales.x.getPixelForValue(from) - event.offsetX);
    if (event.type === 'pointerup' && pixels > 5) {
      const to = timeAt(event);
      zoom(Math.min(from, to), Math.max(from, to));
    }
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  canvas.addEventListener('pointerleave', hideTip);
  canvas.addEventListener('blur', hideTip);
  canvas.addEventListener('dblclick', zoomAll);
  canvas.addEventListener('keydown', event => pressed(plot, event));
}

function showDrag(from, to) {
  for (const { chart, drag } of timeRows().flatMap(row => row.plots)) {
    const left = chart.scales.x.getPixelForValue(from);
    const width = chart.scales.x.getPixelForValue(to) - left;
    const box = chart.chartArea;
    drag.hidden = width < 1;
    drag.style.cssText = `left: ${left}px; width: ${width}px; top: ${box.top}px; height: ${box.bottom - box.top}px`;
  }
}

function pressed(plot, event) {
  const step = (event.shiftKey ? 10 : 1) * { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step) {
    const [from, to] = rangeOf(plot.row);
    const first = reading?.plot === plot ? reading.index + step : lowerBound(plot.times, from);
    const index = Math.max(lowerBound(plot.times, from), Math.min(lowerBound(plot.times, to + 1e-9) - 1, first));
    read(plot, plot.times[index]);
  } else if (event.key === '+' || event.key === '-') {
    zoomBy(event.key === '+' ? 0.5 : 2);
  } else if (event.key === 'Escape' || event.key === '0') {
    zoomAll();
  } else {
    return;
  }
  event.preventDefault();
}
