// The picture of docs/architecture.md, alive: API server → caches → queues and workers → writes.

import { h, s, badge, number, rate, span, clock, sparkline, objectLink } from './dom.js';

const WINDOW = 5000;
/** The rows of parts that have been quiet for so long fold into one. */
const QUIET = 30_000;
const KEPT = 120;

/** Counters over time, which become rates. */
class Counters {
  samples = new Map();

  add(name, value, at) {
    const list = this.samples.get(name) ?? [];
    list.push([at, value]);
    while (list.length > 2 && at - list[1][0] > WINDOW) {
      list.shift();
    }
    this.samples.set(name, list);
  }

  rate(name) {
    const list = this.samples.get(name) ?? [];
    if (list.length < 2) {
      return 0;
    }
    const [[from, first], [to, last]] = [list[0], list[list.length - 1]];
    return to > from ? Math.max(0, (last - first) * 1000 / (to - from)) : 0;
  }
}

const short = name => name.replace(/-controller$/, '');
const sum = values => values.reduce((a, b) => a + b, 0);
const byName = controllers => controllers.toSorted((a, b) => a.name.localeCompare(b.name));
const OTHER = 'other types';
const lastOther = caches => [...caches.filter(cache => cache.type !== OTHER),
  ...caches.filter(cache => cache.type === OTHER)];
const total = data => data.journal.last;

function trouble(problem) {
  return problem ? h('p', { class: 'why' }, problem) : null;
}

function serverCard(data) {
  const { server } = data;
  return h('section', { class: `card server ${server.problem ? 'bad' : ''}`, 'data-node': 'server',
    'aria-labelledby': 'flow-server' },
    h('h2', { id: 'flow-server' }, 'API server'),
    h('p', { class: 'mono break' }, server.url.replace(/\/$/, '')),
    h('p', { class: 'muted' }, server.embedded ? 'embedded in this process' : 'a cluster’s'),
    h('p', {}, server.doing === 'leads' ? badge('HEALTHY', 'this process leads') : badge('PROGRESSING', server.doing)),
    trouble(server.problem),
    h('p', { class: 'muted gap' }, h('a', { href: '#/nodes' }, `${data.nodesReady} of ${data.nodes} nodes`),
      ' of this process are ready'));
}

function cacheRow(cache, rates) {
  const perSecond = rates.rate(`cache ${cache.type}`);
  return h('li', { class: `row ${cache.problem ? 'bad' : perSecond > 0 ? 'busy' : 'idle'}`, 'data-key': cache.type,
    'data-node': `cache ${cache.type}` },
    h('a', { class: 'name', title: cache.type,
      href: `#/objects?type=${cache.type === OTHER ? 'all' : cache.type}` }, cache.type.split('.')[0],
      h('span', { class: 'unseen' }, cache.type.slice(cache.type.split('.')[0].length))),
    cache.waiting > 0 ? h('span', { class: 'chip wait', title: 'changes on their way to handlers' },
      `${number(cache.waiting)} waiting`) : null,
    perSecond > 0 ? h('span', { class: 'num', title: `${number(cache.events)} events since the start` },
      `${rate(perSecond)}/s`) : null,
    h('span', { class: 'num strong', title: 'objects' }, number(cache.objects),
      h('span', { class: 'unseen' }, ' objects')),
    trouble(cache.problem));
}

function workers(controller) {
  const shown = Math.min(controller.workers, 10);
  return h('span', { class: 'workers', title: `${controller.busy} of ${controller.workers} workers are busy` },
    Array.from({ length: shown }, (_, i) => h('i', { class: i < controller.busy ? 'on' : '' })),
    h('span', { class: 'unseen' }, `${controller.busy} of ${controller.workers} workers are busy`));
}

function controllerRow(controller, rates) {
  const perSecond = rates.rate(`sync ${controller.name}`);
  const level = controller.problem ? (controller.mode !== 'RUNNING' && !controller.failing ? 'warn' : 'bad')
    : perSecond > 0 || controller.busy ? 'busy' : 'idle';
  return h('li', { class: `row ${level}`, 'data-key': controller.name, 'data-node': `controller ${controller.name}` },
    h('a', { class: 'name', href: `#/controllers?name=${controller.name}` }, short(controller.name)),
    h('span', { class: controller.depth ? 'depth' : 'depth later',
      title: `${controller.depth} keys are ready, ${controller.delayed} are delayed` },
      [controller.depth ? `${number(controller.depth)} ready` : '', controller.delayed
        ? `${number(controller.delayed)} later` : ''].filter(Boolean).join(', ')),
    workers(controller),
    perSecond > 0 ? h('span', { class: 'num', title: `${number(controller.taken)} syncs since the start` },
      `${rate(perSecond)}/s`) : null,
    h('span', { class: 'num strong', title: 'writes since the start' }, number(controller.writes),
      h('span', { class: 'unseen' }, ' writes')),
    trouble(controller.problem));
}

/** The rows of parts that are busy or not well, and one for all the others. */
function folded(parts, nameOf, isBusy, row, { memory, at }) {
  const quiet = parts.filter(part => {
    const name = nameOf(part);
    if (part.problem || isBusy(part)) {
      memory.busy.set(name, at);
    }
    return at - (memory.busy.get(name) ?? -Infinity) > QUIET;
  });
  return [...parts.filter(part => !quiet.includes(part)).map(row), quiet.length
    ? h('li', { 'data-key': 'quiet' }, h('details', { class: 'quiet', 'data-key': 'quiet' },
      h('summary', { class: 'row idle' }, h('span', { class: 'name' }, `${number(quiet.length)} idle`)),
      h('ul', { class: 'rows' }, quiet.map(row)))) : null];
}

function writesCard(data, memory) {
  const perSecond = memory.rates.rate('writes');
  return h('section', { class: 'card writes', 'data-node': 'writes', 'aria-labelledby': 'flow-writes' },
    h('h2', { id: 'flow-writes' }, 'Writes'),
    h('p', { class: 'big' }, rate(perSecond), h('small', {}, ' per second')),
    sparkline(memory.history, 220, 44),
    h('p', { class: 'muted' }, `${number(total(data))} since the start; the journal keeps `,
      h('a', { href: '#/why' }, `${number(data.journal.kept)} with their causes`)),
    h('ol', { class: 'latest', 'aria-label': 'The latest writes' }, data.latest.map(write =>
      h('li', { 'data-key': `w${write.number}`, class: write.code >= 400 || !write.code ? 'bad' : '' },
      h('span', { class: 'muted mono' }, clock(write.at)), ' ', h('b', {}, write.verb.replaceAll('_', ' ')), ' ',
      `${write.resource} `, objectLink(write.resource, write.namespace, write.name, write.name),
        h('span', { class: 'muted' }, ` ${write.why}`)))));
}

/** The lines from the server to caches, from caches to the controllers that read them, and on to the writes. */
function edges(main, data, memory) {
  const picture = main.querySelector('.flow');
  const layer = main.querySelector('.edges');
  if (!picture || !layer || getComputedStyle(layer).display === 'none') {
    return;
  }
  const box = picture.getBoundingClientRect();
  const at = {};
  for (const node of picture.querySelectorAll('[data-node]')) {
    // The lines of a row that is folded lead to the one that stands for it.
    const place = (node.closest('details:not([open])')?.firstChild ?? node).getBoundingClientRect();
    at[node.dataset.node] = { left: place.left - box.left, right: place.right - box.left,
      y: place.top - box.top + place.height / 2 };
  }
  const paths = new Map();
  const line = (from, to, busy, bad, y) => {
    const [a, b] = [at[from], at[to]];
    if (a && b) {
      const [x1, x2, y1, y2] = [a.right, b.left, y?.from ?? a.y, y?.to ?? b.y];
      const bend = (x2 - x1) / 2;
      const d = `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
      paths.set(d, s('path', { class: bad ? 'bad' : busy ? 'busy' : paths.get(d)?.getAttribute('class') ?? '', d }));
    }
  };
  for (const cache of data.caches) {
    const name = `cache ${cache.type}`;
    line('server', name, memory.rates.rate(name) > 0, cache.problem, { from: 60 });
  }
  for (const controller of data.controllers) {
    const name = `controller ${controller.name}`;
    const busy = memory.rates.rate(`sync ${controller.name}`) > 0;
    for (const type of controller.reads) {
      line(`cache ${type}`, name, busy && memory.rates.rate(`cache ${type}`) > 0);
    }
    if (controller.writes > 0 || busy) {
      line(name, 'writes', memory.rates.rate(`write ${controller.name}`) > 0, false, { to: 60 });
    }
  }
  // Busy lines lie above the others.
  const drawn = [...paths.values()].sort((a, b) =>
    (a.getAttribute('class') ? 1 : 0) - (b.getAttribute('class') ? 1 : 0));
  layer.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`);
  layer.setAttribute('width', box.width);
  layer.setAttribute('height', box.height);
  layer.replaceChildren(...drawn);
}

function problems(data) {
  const all = [data.server, ...data.caches, ...data.controllers].filter(part => part.problem);
  return all.length ? badge('PROGRESSING', all.length === 1 ? '1 part needs attention' : `${all.length} parts need attention`)
    : badge('HEALTHY', 'all is well');
}

export default {
  title: () => 'Flow',
  source: () => ({ view: 'flow' }),

  arrived(data, at, { memory }) {
    memory.rates ??= new Counters();
    memory.history ??= [];
    memory.busy ??= new Map();
    memory.rates.add('writes', total(data), at);
    data.caches.forEach(cache => memory.rates.add(`cache ${cache.type}`, cache.events, at));
    data.controllers.forEach(controller => {
      memory.rates.add(`sync ${controller.name}`, controller.taken, at);
      memory.rates.add(`write ${controller.name}`, controller.writes, at);
    });
    memory.history.push(memory.rates.rate('writes'));
    memory.history.splice(0, memory.history.length - KEPT);
  },

  render(data, context) {
    const { memory } = context;
    const lag = Math.max(0, ...data.caches.map(cache => cache.lagSeconds ?? 0));
    return [
      h('div', { class: 'title' }, h('h1', {}, 'Flow'), problems(data)),
      h('p', { class: 'lead' },
        'Changes come from the API server into caches. Caches put keys into queues. ',
        'Workers compare, decide and write. ',
        h('span', { class: 'muted' },
          `${number(sum(data.controllers.map(c => c.depth)))} keys are ready, `,
          `the oldest message of a cache is ${span(lag * 1000)} old.`)),
      h('div', { class: 'flow' },
        s('svg', { class: 'edges', 'aria-hidden': 'true', 'data-key': 'edges' }),
        serverCard(data),
        h('section', { class: 'column', 'aria-labelledby': 'flow-caches' },
          h('h2', { id: 'flow-caches' }, 'Caches', h('small', {}, 'events, objects')),
          h('ul', { class: 'rows' }, folded(lastOther(data.caches), cache => `cache ${cache.type}`,
            cache => cache.waiting > 0 || memory.rates.rate(`cache ${cache.type}`) > 0,
            cache => cacheRow(cache, memory.rates), context))),
        h('section', { class: 'column', 'aria-labelledby': 'flow-queues' },
          h('h2', { id: 'flow-queues' }, 'Queues and workers', h('small', {}, 'syncs, writes')),
          h('ul', { class: 'rows' }, folded(byName(data.controllers), controller => controller.name,
            controller => controller.depth || controller.busy || memory.rates.rate(`sync ${controller.name}`) > 0,
            controller => controllerRow(controller, memory.rates), context))),
        writesCard(data, memory)),
    ];
  },

  drawn(main, data, { memory }) {
    edges(main, data, memory);
  },
};
