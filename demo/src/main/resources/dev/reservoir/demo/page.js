'use strict';

// The page: loads the setup once, then receives every snapshot as an event.
const SNAPSHOTS_KEPT = 180;
const COLOURS = ['reservoir', 'hikari'];
const NOTES = ['one budget for the fleet, on DynamoDB', "AWS's recommended settings, nothing shared"];
let ended = false;
let setup;
let charts = [];

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) {
    made.className = className;
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

function millis(value) {
  if (value < 0) {
    return '-';
  }
  return value < 1000 ? Math.round(value) + ' ms' : (value / 1000).toFixed(value < 10000 ? 2 : 1) + ' s';
}

function makeFaultButtons() {
  for (const fault of setup.faults) {
    const card = element('div');
    card.dataset.fault = fault.id;
    const button = element('button', '', fault.title);
    button.type = 'button';
    button.addEventListener('click', () => injectFault(fault.id, button));
    card.append(button, element('p', '', fault.description), element('output', '', ' '));
    byId('faults').append(card);
  }
}

async function injectFault(id, button) {
  button.disabled = true;
  const answer = await fetch('fault/' + id, { method: 'POST', headers: { 'X-Reservoir-Demo': '1' } });
  button.parentElement.querySelector('output').textContent = await answer.text();
}

function showFaults(snapshot) {
  for (const status of snapshot.faults) {
    const card = document.querySelector('[data-fault=' + status.id + ']');
    card.classList.toggle('active', status.active);
    card.querySelector('button').disabled = status.active;
    const output = card.querySelector('output');
    if (status.active) {
      output.textContent = status.secondsLeft >= 0 ? 'over in ' + status.secondsLeft + ' s' : 'active';
    } else if (status.outcome) {
      output.textContent = status.outcome;
    }
  }
}

function makeSide(index, name) {
  const card = element('div', 'side');
  card.dataset.side = index;
  card.style.setProperty('--colour', 'var(--' + COLOURS[index] + ')');
  const head = element('h2', '', name + ' ');
  head.append(element('small', '', NOTES[index]));
  const figures = element('dl', 'figures');
  for (const [key, label] of [['perSecond', 'workflows/s'], ['p50', 'median'], ['p99', 'p99'], ['longest', 'longest'],
    ['failed', 'failed'], ['refused', 'refused connects']]) {
    const pair = element('div');
    const value = element('dd', '', '-');
    value.dataset.figure = key;
    pair.append(element('dt', '', label), value);
    figures.append(pair);
  }
  const table = element('table', 'services');
  const legend = element('div', 'legend');
  for (const state of ['ready', 'inUse', 'opening', 'retiring']) {
    const item = element('span');
    const box = element('i');
    box.style.background = 'var(--' + state + ')';
    item.append(box, { inUse: 'in use', retiring: 'retired within the last second' }[state] || state);
    legend.append(item);
  }
  card.append(head, figures, table, legend);
  card.append(index === 0 ? element('div', 'budget', '')
    : element('div', 'alone', 'No budget: only the database limits connects.'));
  byId('sides').append(card);
}

function refused(side) {
  return side.refused.byRate + side.refused.byCount + side.refused.byToken;
}

function showSide(index, side) {
  const card = document.querySelector('[data-side="' + index + '"]');
  const set = (key, text, mood) => {
    const value = card.querySelector('[data-figure=' + key + ']');
    value.textContent = text;
    value.className = mood || '';
  };
  set('perSecond', side.workflowsPerSecond.toFixed(1));
  set('p50', millis(side.latency.p50Millis));
  set('p99', millis(side.latency.p99Millis));
  set('longest', millis(side.latency.longestMillis));
  set('failed', side.failed);
  set('refused', refused(side), refused(side) ? 'bad' : 'good');
  card.querySelector('[data-figure=refused]').title = 'rate ' + side.refused.byRate + ', count ' + side.refused.byCount
      + ', token ' + side.refused.byToken;
  card.querySelector('.services').replaceChildren(...side.services.map(serviceRow));
}

function serviceRow(service) {
  const row = element('tr');
  row.dataset.service = service.name;
  row.dataset.state = service.state;
  const cells = element('div', 'cells');
  const kinds = ['inUse', 'ready', 'opening', 'retiring'].flatMap(kind => Array(service[kind]).fill(kind));
  for (let i = 0; i < setup.connections + 2; i++) {
    cells.append(element('i', kinds[i] || ''));
  }
  const text = service.state === 'crashed' ? 'crashed, starts again'
    : [service.ready + ' ready', service.inUse + ' in use', service.opening && service.opening + ' opening',
      service.retiring && service.retiring + ' retired', service.waiting && service.waiting + ' wait']
        .filter(part => part).join(', ');
  const bar = element('td');
  bar.append(cells);
  row.append(element('td', '', service.name), bar, element('td', '', text));
  return row;
}

function showBudget(snapshot) {
  const budget = document.querySelector('.budget');
  const cluster = snapshot.cluster;
  if (!cluster) {
    budget.textContent = 'Cluster budget: no members yet.';
    return;
  }
  budget.classList.toggle('away', cluster.away);
  const shares = snapshot.sides[0].services.map(service => Math.max(0, service.share));
  const dead = Math.max(0, cluster.leases - shares.reduce((a, b) => a + b, 0));
  const text = element('div');
  text.append('Cluster leases: ', element('b', '', cluster.leases + ' of ' + cluster.limit),
    ', by ' + cluster.members + ' members',
    cluster.takenBack ? ', ' + cluster.takenBack + ' taken back from dead members' : '');
  if (cluster.away) {
    text.append(', ', element('b', '', 'DynamoDB is away: each member opens connections at its own share'));
  }
  const bar = element('div', 'bar');
  [...shares.map(share => ['', share]), ['dead', dead]].forEach(([kind, count]) => {
    const part = element('i', kind);
    part.style.width = 100 * count / cluster.limit + '%';
    bar.append(part);
  });
  budget.replaceChildren(text, bar);
}

function showEvents(snapshot) {
  if (snapshot.events.length) {
    byId('events').replaceChildren(...[...snapshot.events].reverse().map(event => {
      const item = element('li');
      item.append(element('b', '', clock(event.atSeconds)), event.text);
      return item;
    }));
  }
}

function show(snapshot) {
  if (!charts.length) {
    snapshot.sides.forEach((side, index) => makeSide(index, side.name));
    charts = makeCharts(snapshot.sides.map(side => side.name));
    paintCharts(charts);
  }
  byId('time').textContent = clock(snapshot.seconds);
  showFaults(snapshot);
  snapshot.sides.forEach((side, index) => showSide(index, side));
  showBudget(snapshot);
  showEvents(snapshot);
  showCharts(charts);
}

function over() {
  if (ended) {
    return;
  }
  ended = true;
  if (snapshots.length) {
    show(snapshots.at(-1));
  }
  document.body.classList.add('over');
  byId('time').textContent += ' over';
  document.querySelectorAll('button').forEach(button => { button.disabled = true; });
}

async function start() {
  setup = await (await fetch('setup')).json();
  byId('about').textContent = setup.about;
  byId('opening').textContent = setup.opening;
  makeFaultButtons();
  const source = new EventSource('snapshots');
  let drawing = false;
  source.addEventListener('open', () => { snapshots.length = 0; });
  source.addEventListener('snapshot', event => {
    snapshots.push(JSON.parse(event.data));
    if (snapshots.length > SNAPSHOTS_KEPT) {
      snapshots.shift();
    }
    // The snapshots of the past arrive all at once. Only the last one is drawn.
    if (!drawing) {
      drawing = true;
      setTimeout(() => {
        drawing = false;
        if (!ended) {
          show(snapshots.at(-1));
        }
      }, 30);
    }
  });
  source.addEventListener('end', () => { source.close(); over(); });
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) {
      over();
    }
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    paintCharts(charts);
    charts.forEach(chart => chart.update('none'));
  });
}

start();
