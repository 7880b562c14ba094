/*
 * The page around the charts: head, controls, tables. Then it all begins.
 */
// ---- The page around the charts ------------------------------------------------------------------------------------

function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const headCells = (...texts) => el('thead', {}, el('tr', {}, ...texts.map(text =>
    text instanceof Element ? text : el('th', { scope: 'col' }, text))));
const rowHead = (...content) => el('th', { scope: 'row' }, ...content);
const numberHead = text => el('th', { scope: 'col', class: 'number' }, text);

/** A sign and a word beside the colour. */
const verdictSign = holds => el('span', { class: `verdict ${holds ? 'held' : 'broken'}` }, holds ? '✓ held' : '✗ did not hold');

function outcomeSign(run) {
  const held = run.verdicts.filter(verdict => verdict.holds).length;
  const all = run.verdicts.length;
  const text = all === 0 ? 'nothing was expected' : run.passed ? `✓ all ${all} held` : `✗ ${all - held} of ${all} did not hold`;
  return el('span', { class: all === 0 ? 'quiet' : `verdict ${run.passed ? 'held' : 'broken'}` }, text);
}

function measureText(measure) {
  if (measure.value === null) {
    return measure.unit === 'share' ? 'never full' : 'never';
  }
  return { count, micros: span, share: value => percent(value / 10000) }[measure.unit](measure.value);
}

function change(measure, base) {
  if (measure.value === null || base.value === null || measure.value === base.value) {
    return '';
  }
  const by = measure.value - base.value;
  const sign = by > 0 ? '+' : '−';
  if (measure.unit === 'share') {
    return `${sign}${Math.abs(by / 100).toFixed(1)} points`;
  }
  if (base.value === 0 || measure.value === 0) {
    return '';
  }
  const ratio = measure.value / base.value;
  return ratio >= 2 ? `× ${+ratio.toPrecision(3)}` : `${sign}${+Math.abs(100 * (ratio - 1)).toPrecision(2)} %`;
}

/** The tables that have a column for each run have them at the same place. */
const columns = compare ? { class: 'columns' } : {};

function differences() {
  const rows = runs[0].measures.map((base, i) => {
    const measures = runs.map(run => run.measures[i]);
    const direction = { less: 1, more: -1, neither: 0 }[base.better];
    const worth = measures.map(measure => (measure.value === null ? Infinity : direction * measure.value));
    const best = Math.min(...worth);
    const differ = worth.some(value => value !== best);
    return el('tr', { 'data-measure': base.name }, rowHead(base.text), ...measures.map((measure, j) => el('td', {},
        `${measureText(measure)} `,
        ...(j > 0 ? [el('span', { class: 'change' }, `${change(measure, base)} `)] : []),
        ...(differ && worth[j] === best ? [el('span', { class: 'best' }, 'best')] : []))));
  });
  return el('div', { class: 'card scroll' }, el('table', { id: 'differences', ...columns },
      el('caption', {}, 'Differences ', el('small', {}, `changes are against ${runs[0].label}`)),
      headCells('', ...runs.map(run => run.label)),
      el('tbody', {}, el('tr', {}, rowHead('Expectations'), ...runs.map(run => el('td', {}, outcomeSign(run)))), ...rows)));
}

function verdicts() {
  const names = [...new Set(runs.flatMap(run => run.verdicts.map(verdict => verdict.name)))];
  const body = names.map(name => {
    const of = runs.map(run => run.verdicts.find(verdict => verdict.name === name));
    const expected = [...new Set(of.filter(Boolean).map(verdict => verdict.expected))];
    const found = of.map(verdict => (verdict
        ? el('td', {}, verdictSign(verdict.holds), ` ${verdict.found}`)
        : el('td', {}, 'not asked')));
    return compare
        ? el('tr', {}, rowHead(el('code', {}, name), el('br', {}), el('small', {}, expected.join('; '))), ...found)
        : el('tr', {}, rowHead(el('code', {}, name)), el('td', {}, expected.join('; ')), ...found);
  });
  return el('div', { class: 'card scroll' }, el('table', { id: 'verdicts', ...columns },
      el('caption', {}, 'Verdicts'),
      headCells('', ...(compare ? runs.map(run => run.label) : ['Expected', 'Found'])),
      el('tbody', {}, ...(body.length ? body : [el('tr', {}, el('td', {}, 'The scenario expects nothing.'))]))));
}

function facts() {
  const body = Object.keys(runs[0].facts).map(name => {
    const of = runs.map(run => run.facts[name]);
    const same = of.every(fact => fact === of[0]);
    const cells = same ? [el('td', { colspan: runs.length }, of[0])] : of.map(fact => el('td', {}, fact));
    return el('tr', {}, rowHead(name), ...cells);
  });
  return el('div', { class: 'card scroll' }, el('table', { id: 'facts', ...columns },
      el('caption', {}, 'What was simulated'),
      ...(compare ? [headCells('', ...runs.map(run => run.label))] : []),
      el('tbody', {}, ...body)));
}

function buildHead() {
  const title = el('h1', {}, el('small', {}, 'Reservoir simulation'), `${data.title} `);
  const head = document.getElementById('head');
  if (compare) {
    head.append(title, el('div', { class: 'below' }, differences(), verdicts(), facts()));
    return;
  }
  title.append(outcomeSign(runs[0]));
  const tiles = runs[0].measures.map(measure => el('div', { class: 'card tile', 'data-measure': measure.name },
      el('span', {}, measure.text), el('b', {}, measureText(measure))));
  head.append(title, el('div', { class: 'sides' }, facts(), verdicts()), el('div', { class: 'tiles' }, ...tiles));
}

function button(text, label, action) {
  const made = el('button', { type: 'button', 'aria-label': label, title: label }, text);
  made.onclick = action;
  return made;
}

function servicePicker() {
  const boxes = allServices.map(name => {
    const box = el('input', { type: 'checkbox', value: name, checked: '' });
    box.onchange = () => choose(allServices.filter(each => (each === name ? box.checked : state.chosen.has(each))));
    return el('label', { title: name }, box, ` ${name}`);
  });
  const details = el('details', { id: 'services' },
      el('summary', {}, 'Services: ', el('b', { id: 'chosen' }, `all ${allServices.length}`)),
      el('div', { class: 'card pick' },
          button('All', 'Choose all services', () => choose(allServices)), ' ',
          button('None', 'Choose no service', () => choose([])),
          el('div', { class: 'names' }, ...boxes)));
  document.addEventListener('click', event => {
    if (!details.contains(event.target)) {
      details.open = false;
    }
  });
  details.addEventListener('keydown', event => {
    if (event.key === 'Escape') {
      details.open = false;
      details.querySelector('summary').focus();
    }
  });
  return details;
}

function countsSwitch() {
  const radio = (text, cumulative) => {
    const input = el('input', { type: 'radio', name: 'counts', value: text, ...(cumulative ? {} : { checked: '' }) });
    input.onchange = () => {
      state.cumulative = cumulative;
      drawAll();
    };
    return el('label', {}, input, ` ${text}`);
  };
  return el('fieldset', {}, el('legend', {}, 'Counts'), radio('per interval', false), radio('cumulative', true));
}

function buildControls() {
  const kinds = new Set(runs.flatMap(run => run.marks.map(mark => mark.kind)));
  const look = [...kinds].map(kind => {
    const { sign, word, color: hue } = markOf({ kind });
    const shown = el('span', {});
    const drawn = el('b', {}, sign);
    drawn.style.color = `var(--${hue})`;
    shown.append(drawn, ` ${word}`);
    return shown;
  });
  document.getElementById('controls').append(
      servicePicker(),
      countsSwitch(),
      el('fieldset', {}, el('legend', {}, 'Zoom'),
          button('+', 'Zoom in', () => zoomBy(0.5)),
          button('−', 'Zoom out', () => zoomBy(2)),
          button('◀', 'Earlier', () => move(-0.5)),
          button('▶', 'Later', () => move(0.5)),
          button('Whole run', 'Show the whole run', zoomAll),
          el('output', { id: 'range' }, `${clock(0)} to ${clock(wholeRun)}`)),
      el('span', { class: 'kinds' }, ...look, 'Drag on a chart to zoom, double click to reset'));
}

function buildCharts() {
  const main = document.getElementById('charts');
  main.classList.toggle('compare', compare);
  for (const row of ROWS) {
    if (row.id === 'failures' && reasons('failures').length === 0) {
      continue;
    }
    row.noteElement = el('p', { class: 'note' });
    row.legend = el('div', { class: 'legend', role: 'group', 'aria-label': `Series of ${row.title}` });
    const plots = el('div', { class: 'plots' });
    plots.style.gridTemplateColumns = `repeat(${runs.length}, minmax(${compare ? 300 : 0}px, 1fr))`;
    main.append(el('section', { class: 'card', id: row.id }, el('h3', {}, row.title), row.noteElement, row.legend, plots));
    row.plots = runs.map((run, i) => {
      const name = `${row.title}${compare ? `, ${run.label}` : ''}`;
      const canvas = el('canvas', {
        tabindex: '0', role: 'img', 'data-chart': row.id, 'data-run': i,
        'aria-label': `${name}. Arrow keys read values, plus and minus zoom, 0 shows the whole run.`,
      });
      const cursor = el('div', { class: 'cursor', hidden: '' });
      const drag = el('div', { class: 'drag', hidden: '' });
      const box = el('div', { class: 'plot' }, canvas, cursor, drag);
      plots.append(el('figure', {}, ...(compare ? [el('figcaption', {}, run.label)] : []), box));
      const chart = newChart(row, canvas);
      chart.plot = { row, run, chart, cursor, drag };
      listen(chart.plot);
      return chart.plot;
    });
  }
}

const SERVICE_COLUMNS = [
  ['Processes', 'instances'], ['Target', 'target'], ['Usable', 'usable'], ['In use', 'inUse'],
  ['Opened', 'opened'], ['Refused', 'refused'], ['Discarded', 'discards'], ['Checkouts', 'checkouts'],
  ['Found nothing', 'empties'], ['Timed out', 'timeouts'],
];

function serviceTable(run) {
  const body = run.services.map(({ name, end }) => {
    const only = el('button', { type: 'button', class: 'plain', title: `Show only ${name} in the charts` }, name);
    only.onclick = () => choose([name]);
    return el('tr', {}, rowHead(only),
        ...SERVICE_COLUMNS.map(([, key]) => el('td', { class: 'number' }, count(end[key]))),
        el('td', { class: 'number' }, span(end.waitMaxUs)),
        el('td', { class: 'number' }, end.smallestShare === null ? 'never full' : percent(end.smallestShare / 10000)));
  });
  return el('div', { class: 'long' }, el('table', {},
      headCells('Service', ...[...SERVICE_COLUMNS.map(([text]) => text), 'Longest wait', 'Smallest share'].map(numberHead)),
      el('tbody', {}, ...body)));
}

function eventTable(run) {
  const body = run.marks.map(mark => {
    const at = mark.ms / 1000;
    const time = el('button', { type: 'button', class: 'plain', title: 'Show this time in the charts' }, clock(at));
    time.onclick = () => zoom(at - wholeRun / 40, at + wholeRun / 20);
    return el('tr', {}, el('td', {}, time), el('td', {}, `${markOf(mark).sign} ${markOf(mark).word}`), el('td', {}, mark.text));
  });
  const more = run.marksLeftOut ? [el('p', { class: 'note' }, `and ${count(run.marksLeftOut)} more`)] : [];
  return el('div', { class: 'long' }, el('table', {}, headCells('Time', 'Kind', 'Event'), el('tbody', {}, ...body)), ...more);
}

function buildTables() {
  const tables = document.getElementById('tables');
  for (const run of runs) {
    const whose = compare ? `, ${run.label}` : '';
    tables.append(
        el('details', { class: 'card services', ...(compare ? {} : { open: '' }) },
            el('summary', {}, `Services at the end, and counts of the whole run${whose}`), serviceTable(run)),
        el('details', { class: 'card events' },
            el('summary', {}, `Events (${count(run.marks.length + run.marksLeftOut)})${whose}`), eventTable(run)));
  }
  const thinned = runs.some(run => run.samplesPerPoint > 1)
      ? ` A point stands for ${runs.map(run => run.samplesPerPoint).join(', ')} samples: `
        + 'ready and in use at the moment when the least was usable, '
        + 'the most of what was validating, opening or closing, the longest waits, and all that was counted.'
      : '';
  document.getElementById('foot').append(el('p', {},
      'Sums are over the services chosen. Smallest shares are of the samples after a service first had its target.', thinned,
      ' Charts by Chart.js (MIT licence).'));
}

// ---- Begin ---------------------------------------------------------------------------------------------------------

function printing(on) {
  document.documentElement.classList.toggle('printing', on);
  if (on) {
    document.querySelectorAll('#tables details').forEach(details => { details.open = true; });
  }
  hideTip();
  drawAll();
}

buildHead();
buildControls();
buildCharts();
buildTables();
drawAll();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
addEventListener('beforeprint', () => printing(true));
addEventListener('afterprint', () => printing(false));
addEventListener('scroll', hideTip, { passive: true });
